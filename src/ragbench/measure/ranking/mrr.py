"""Mean reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence


def reciprocal_rank(gains: Sequence[float]) -> float:
    """1 / rank of the first rank that earned something, in [0, 1]; 0 when none did.

    The mean over questions is MRR: first relevant at ranks 1, 3, 2 gives 0.6111. Source: trec_eval `recip_rank`.
    """
    for rank, gain in enumerate(gains, 1):
        if gain > 0:
            return 1.0 / rank
    return 0.0
