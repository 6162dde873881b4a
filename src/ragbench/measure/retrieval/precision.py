"""Precision at k."""

from __future__ import annotations

from collections.abc import Sequence


def precision(relevant: Sequence[float], k: int) -> float:
    """Relevant ranks among the first k, divided by k even when fewer came back: in [0, 1]; empty ranking: 0.

    `relevant[i]` is 1 where rank i + 1 is relevant by itself (for chunks: `Evidence.is_relevant`). Source: trec_eval
    `P_k`.
    """
    return sum(1 for one in relevant[:k] if one > 0) / k
