"""Normalised discounted cumulative gain."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

_DISCOUNT = tuple(1.0 / log2(rank + 1) for rank in range(1, 2001))


def dcg(gains: Sequence[float], k: int | None = None) -> float:
    """Σ gain / log2(rank + 1) over the first k ranks (all ranks where k is None); linear gain; empty: 0."""
    head = gains if k is None else gains[:k]
    return sum(gain * _discount(rank) for rank, gain in enumerate(head) if gain)


def ndcg(gains: Sequence[float], ideal: Sequence[float], k: int | None = None) -> float:
    """dcg(gains) / dcg(ideal) at k, in [0, 1]; empty ranking: 0.

    `ideal` holds the gains of the best possible ranking, in descending order. Source: trec_eval `ndcg_cut_k` (linear
    gain; negative grades are no gain). Raises ValueError where nothing is relevant.
    """
    best = dcg(ideal, k)
    if best <= 0:
        raise ValueError("nDCG of a question without evidence")
    return dcg(gains, k) / best


def group_ndcg(gains: Sequence[int], n_groups: int, k: int) -> float:
    """nDCG of set-level gains, the ideal being one group at each of the first `n_groups` ranks, whatever the chunking.

    Where ranks earn several groups at once, the i-th group found counts at rank max(its rank, i): one chunk with both
    groups at rank 1 is as good as the ideal, never better. With at most one group a rank this is plain nDCG.
    """
    if n_groups < 1:
        raise ValueError("nDCG of a question without evidence")
    found, total = 0, 0.0
    for rank, gain in enumerate(gains):
        for _ in range(gain):
            at = max(rank, found)
            found += 1
            if at < k:
                total += _discount(at)
    return total / dcg((1,) * min(n_groups, k))


def _discount(index: int) -> float:
    return _DISCOUNT[index] if index < len(_DISCOUNT) else 1.0 / log2(index + 2)
