"""Context precision, weighted by rank."""

from __future__ import annotations

from collections.abc import Sequence


def context_precision(relevant: Sequence[float], k: int) -> float:
    """Mean, over the relevant ranks among the first k, of the precision at that rank: in [0, 1]; none relevant: 0.

    It looks only at what came back (unlike average precision, which divides by all relevant), so it says how well the
    list is ordered and nothing of what is missing. The plain share is `precision@k`. Source: RAGAS, context precision.
    """
    found, total = 0, 0.0
    for rank, one in enumerate(relevant[:k], 1):
        if one > 0:
            found += 1
            total += found / rank
    return total / found if found else 0.0
