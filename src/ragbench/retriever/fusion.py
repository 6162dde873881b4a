"""Fusions: pure functions from lists of hits to one list.

A list is a pair of arrays of equal length, chunk numbers and scores, best first. Ties are broken by chunk number.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.records.search import Ranked, Ranking, RouteList

Chunks = NDArray[np.int64]
Numbers = NDArray[np.float64]
Scored = tuple[Chunks, Numbers]


def rrf(lists: Sequence[Chunks], weights: Sequence[float], k: float) -> Scored:
    """Reciprocal rank fusion: score(d) = Σ_l w_l / (k + rank_l(d)), ranks from 1.

    A list that lacks d adds nothing; a list of weight 0 brings no candidates. Scores lie in (0, Σ w_l / (k + 1)].
    No lists, or only empty ones, give an empty list. Source: Cormack, Clarke and Büttcher, SIGIR 2009 (k = 60).
    """
    counted = [(chunks, weight) for chunks, weight in zip(lists, weights) if weight > 0]
    if not counted:
        return _EMPTY
    parts: list[Numbers] = [weight / (k + np.arange(1.0, len(chunks) + 1)) for chunks, weight in counted]
    return _summed([chunks for chunks, _ in counted], parts)


def min_max(scores: Numbers) -> Numbers:
    """Scores moved to [0, 1]: (s − min) / (max − min); all equal, also a single one, become 1.0; none stay none."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    if low == high:
        return np.ones(len(scores))
    scaled: Numbers = (scores - low) / (high - low)
    return scaled


def alpha_fusion(dense: Scored, sparse: Scored, alpha: float) -> Scored:
    """Linear fusion: α·dense + (1 − α)·sparse, each list brought to [0, 1] by `min_max` first.

    A chunk that a list lacks scores 0 there. Scores lie in [0, 1]. α = 1 is the dense list in its own order and
    α = 0 the sparse list: a list of weight 0 brings no candidates.
    """
    if alpha in (0, 1):
        chunks, scores = dense if alpha else sparse
        return chunks, min_max(scores)
    return _summed([dense[0], sparse[0]], [alpha * min_max(dense[1]), (1 - alpha) * min_max(sparse[1])])


def merged(lists: Sequence[RouteList], k: float) -> Scored:
    """The lists of one route as one: a single list as it is, several by `rrf` with their requests' weights."""
    if len(lists) == 1:
        return scored(lists[0])
    return rrf([scored(one)[0] for one in lists], [one.weight for one in lists], k)


def scored(route_list: RouteList) -> Scored:
    """A route's list as arrays."""
    return np.array(route_list.chunks, dtype=np.int64), np.array(route_list.scores, dtype=np.float64)


def ranking(found: Scored) -> Ranking:
    """A fused list as records, ranks from 1."""
    chunks, scores = found
    rows: Any = zip(chunks.tolist(), scores.tolist(), range(1, len(chunks) + 1), repeat(None))
    return tuple(map(Ranked._make, rows))


def _summed(lists: Sequence[Chunks], parts: Sequence[Numbers]) -> Scored:
    chunks, place = np.unique(np.concatenate(lists), return_inverse=True)
    scores: Any = np.bincount(place, np.concatenate(parts), minlength=len(chunks))
    order = np.argsort(-scores, kind="stable")
    return chunks[order], scores[order]


_EMPTY: Scored = (np.empty(0, np.int64), np.empty(0, np.float64))
