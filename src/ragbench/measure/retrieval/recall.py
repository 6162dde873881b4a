"""Recall at k."""

from __future__ import annotations

from collections.abc import Sequence


def recall(gains: Sequence[float], n_relevant: int, k: int) -> float:
    """Share of what is relevant that the first k ranks found: sum(gains[:k]) / n_relevant, in [0, 1].

    With gains = groups newly satisfied at each rank and n_relevant = all groups this is set-level recall (methods.md
    §11); with gains = 1 for each relevant document it is trec_eval's `recall_k`. Empty ranking: 0. Raises ValueError
    where nothing is relevant, which has no recall.
    """
    if n_relevant < 1:
        raise ValueError("recall of a question without evidence")
    return sum(gains[:k]) / n_relevant
