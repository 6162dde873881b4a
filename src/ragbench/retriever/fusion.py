"""Fusions: pure functions from lists of hits to one list.

A list is a pair of arrays of equal length, chunk numbers and scores, best first. Ties are broken by chunk number.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.records.search import Ranked, Ranking, RouteList
from ragbench.retriever.scaling import SCALES, Numbers, Scaled

Chunks = NDArray[np.int64]
Scored = tuple[Chunks, Numbers]


def rrf(lists: Sequence[Chunks], weights: Sequence[float], k: float) -> Scored:
    """Reciprocal rank fusion: score(d) = Σ_l w_l / (k + rank_l(d)), ranks from 1.

    A list that lacks d adds nothing; a list of weight 0 brings no candidates. Scores lie in (0, Σ w_l / (k + 1)].
    Sums that are equal as fractions, weights and k taken as the decimal numbers they are written as, are equal scores,
    in whatever order floating point adds them up; sums that it cannot tell apart are so too.
    No lists, or only empty ones, give an empty list. Source: Cormack, Clarke and Büttcher, SIGIR 2009 (k = 60).
    """
    counted = [(chunks, weight) for chunks, weight in zip(lists, weights) if weight > 0]
    if not counted:
        return _EMPTY
    parts: list[Numbers] = [weight / (k + np.arange(1.0, len(chunks) + 1)) for chunks, weight in counted]
    found = _summed([chunks for chunks, _ in counted], parts)
    return _settled(found, counted, k) if len(counted) > 1 else found


def alpha_fusion(dense: Scored, sparse: Scored, alpha: float, scale: str = "minmax") -> Scored:
    """Linear fusion: α·dense + (1 − α)·sparse, each list brought to one scale first (`ragbench.retriever.scaling`).

    A chunk that a list lacks counts there what the scale says: 0 in `minmax`, the list's lowest in `zscore`. Scores lie
    in [0, 1] with `minmax`. α = 1 is the dense list in its own order and α = 0 the sparse list: a list of weight 0
    brings no candidates.
    """
    bring = SCALES[scale]
    if alpha in (0, 1):
        chunks, scores = dense if alpha else sparse
        return chunks, bring(scores).scores
    union = _union(dense[0], sparse[0])
    parts = [_spread(union, chunks, bring(scores)) for chunks, scores in (dense, sparse)]
    return _falling(union, alpha * parts[0] + (1 - alpha) * parts[1])


def votes(lists: Sequence[Chunks], weights: Sequence[float], k: float) -> Scored:
    """Votes: a list votes for its first VOTED chunks with its weight; score(d) = Σ_l w_l · [rank_l(d) ≤ VOTED] + what
    decides between equals, the chunk's `rrf` as a share of the highest, times half the smallest weight.

    All chunks of the lists are candidates; those without a vote follow by `rrf`. Empty and weightless lists as in
    `rrf`.
    """
    chunks, shares = rrf(lists, weights, k)
    if not len(chunks):
        return _EMPTY
    union = np.sort(chunks)
    scores = np.zeros(len(union))
    scores[np.searchsorted(union, chunks)] = shares / shares.max() * min(weight for weight in weights if weight > 0) / 2
    for one, weight in zip(lists, weights):
        if weight > 0:
            scores[np.searchsorted(union, one[:VOTED])] += weight
    return _falling(union, scores)


def best_of(lists: Sequence[Scored], weights: Sequence[float]) -> Scored:
    """Best score: the highest of weight · score over the lists that hold the chunk.

    The scores must be on one scale, as those of one route are. A list of weight 0 brings no candidates.
    """
    counted = [(chunks, weight * scores) for (chunks, scores), weight in zip(lists, weights) if weight > 0]
    if not counted:
        return _EMPTY
    union, place = np.unique(np.concatenate([chunks for chunks, _ in counted]), return_inverse=True)
    best = np.full(len(union), -np.inf)
    np.maximum.at(best, place, np.concatenate([scores for _, scores in counted]))
    return _falling(union, best)


def sum_of(lists: Sequence[Scored], weights: Sequence[float]) -> Scored:
    """Weighted mean of scaled scores: score(d) = Σ_l w_l · minmax_l(d) / Σ w_l, 0 where a list lacks the chunk; in
    [0, 1]. Small weights change a list little, which ranks cannot do. A list of weight 0 brings no candidates.
    Source: CombSUM (Fox and Shaw, TREC-2), with weights.
    """
    counted = [(chunks, scores, weight) for (chunks, scores), weight in zip(lists, weights) if weight > 0]
    if not counted:
        return _EMPTY
    total = sum(weight for _, _, weight in counted)
    parts = [SCALES["minmax"](scores).scores * (weight / total) for _, scores, weight in counted]
    return _summed([chunks for chunks, _, _ in counted], parts)


def merged(lists: Sequence[RouteList], k: float) -> Scored:
    """The lists of one route as one: a single list as it is, several as their requests say (`join`), with their
    weights: `votes`, `best` (`best_of`), `sum` (`sum_of`), else by `rrf`."""
    if len(lists) == 1:
        return scored(lists[0])
    weights = [one.weight for one in lists]
    join = lists[0].join if lists else ""
    if join in ("best", "sum"):
        found = [scored(one) for one in lists]
        return best_of(found, weights) if join == "best" else sum_of(found, weights)
    chunks = [scored(one)[0] for one in lists]
    return votes(chunks, weights, k) if join == "votes" else rrf(chunks, weights, k)


def scored(route_list: RouteList) -> Scored:
    """A route's list as arrays."""
    return np.array(route_list.chunks, dtype=np.int64), np.array(route_list.scores, dtype=np.float64)


def ranking(found: Scored) -> Ranking:
    """A fused list as records, ranks from 1."""
    chunks, scores = found
    return _records(chunks.tolist(), scores.tolist())


def ranking_of(lists: Sequence[RouteList], k: float) -> Ranking:
    """The lists of one route, `merged`, as records."""
    return _records(lists[0].chunks, lists[0].scores) if len(lists) == 1 else ranking(merged(lists, k))


def _records(chunks: Sequence[int], scores: Sequence[float]) -> Ranking:
    rows: Any = zip(chunks, scores, count(1), repeat(None))
    make: Any = tuple.__new__  # as `Ranked._make`, without a call of Python for each
    return tuple(map(make, repeat(Ranked), rows))


def _summed(lists: Sequence[Chunks], parts: Sequence[Numbers]) -> Scored:
    chunks, place = np.unique(np.concatenate(lists), return_inverse=True)
    scores: Any = np.bincount(place, np.concatenate(parts), minlength=len(chunks))
    return _falling(chunks, scores)


def _settled(found: Scored, lists: Sequence[tuple[Chunks, float]], k: float) -> Scored:
    """A ranking by `rrf` with the order of scores that lie within rounding of each other decided by fractions."""
    chunks, scores = found
    gaps = scores[:-1] - scores[1:]
    near = gaps <= (len(lists) + 2) * _ROUNDING * scores[:-1]
    if not (near & (gaps > 0)).any():
        return found
    edges = np.flatnonzero(~near) + 1
    starts, ends = [0, *edges.tolist()], [*edges.tolist(), len(chunks)]
    for start, end in zip(starts, ends):
        if scores[start] > scores[end - 1]:
            exact = _exact(chunks[start:end].tolist(), lists, k)
            rows = sorted(exact.items(), key=lambda row: (-row[1], row[0]))
            chunks[start:end] = [chunk for chunk, _ in rows]
            scores[start:end] = [float(score) for _, score in rows]
    return chunks, scores


def _exact(wanted: Sequence[int], lists: Sequence[tuple[Chunks, float]], k: float) -> dict[int, Fraction]:
    """The sums of `rrf` as fractions."""
    sums = dict.fromkeys(wanted, Fraction(0))
    for chunks, weight in lists:
        for at in np.flatnonzero(np.isin(chunks, wanted)).tolist():
            sums[int(chunks[at])] += Fraction(repr(float(weight))) / (Fraction(repr(float(k))) + at + 1)
    return sums


def _union(one: Chunks, other: Chunks) -> Chunks:
    """The chunks of both in ascending order, in half the time of `np.union1d` on lists of a hundred."""
    both = np.concatenate((one, other))
    both.sort()
    new = np.ones(len(both), dtype=bool)
    np.not_equal(both[1:], both[:-1], out=new[1:])
    return both[new]


def _spread(union: Chunks, chunks: Chunks, scaled: Scaled) -> Numbers:
    """The scaled scores of a list at the places of its chunks in `union`, and `missing` everywhere else."""
    scores = np.full(len(union), scaled.missing)
    scores[np.searchsorted(union, chunks)] = scaled.scores
    return scores


def _falling(chunks: Chunks, scores: Numbers) -> Scored:
    """Best first; `chunks` ascend, so that ties keep the order of chunk numbers."""
    order = np.argsort(-scores, kind="stable")
    return chunks[order], scores[order]


VOTED = 10
"""Chunks at the top of a list that it votes for."""
_ROUNDING = 2.0**-51
"""Four times the most that one operation rounds by, as a share."""
_EMPTY: Scored = (np.empty(0, np.int64), np.empty(0, np.float64))
