"""The order of trec_eval: by score in single precision, then by id, both descending."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]


def score_keys(owner: Ints, scores: Iterable[float]) -> Keys:
    """Numbers that ascend by owner and, within one, by descending score in single precision; ValueError for NaN."""
    with np.errstate(over="ignore"):
        single = np.fromiter(scores, np.float64, len(owner)).astype(np.float32)
    if np.isnan(single).any():
        raise ValueError("a score that is no number has no place in a ranking")
    bits = (single + np.float32(0)).view(np.uint32)  # + 0 makes -0 the 0 it is equal to
    descending = np.where(bits >> 31, bits, ~bits & np.uint32((1 << 31) - 1))
    return (owner.astype(np.uint64) << np.uint64(32)) | descending


def above_in_ties(keys: Keys, ids: Sequence[str], wanted: Keys, docs: Sequence[str]) -> list[int]:
    """How many of `ids` with the same key stand above each of `docs`, whose keys are `wanted`: those of a greater id.

    `wanted` are among `keys`. Each tie is sorted once; entries in no wanted tie are not looked at.
    """
    groups, own = np.unique(wanted, return_inverse=True)
    at = np.minimum(np.searchsorted(groups, keys), len(groups) - 1)
    tied = groups[at] == keys
    ties = at[tied]
    if np.all(ties[1:] >= ties[:-1]):
        members = list(compress(ids, tied.tolist()))
    else:
        together = np.sort((ties << 32) | np.flatnonzero(tied))  # numbers sort faster than places by number
        members = list(map(ids.__getitem__, (together & ((1 << 32) - 1)).tolist()))
    ends = np.cumsum(np.bincount(ties, minlength=len(groups))).tolist()
    found = [0] * len(docs)
    group: list[str] = []
    opened = -1
    order = np.argsort(own, kind="stable")
    for number, tie in zip(order.tolist(), own[order].tolist()):
        if tie != opened:
            group, opened = sorted(members[ends[tie - 1] if tie else 0 : ends[tie]]), tie
        found[number] = len(group) - bisect_right(group, docs[number])
    return found


def disagreeing(owner: Ints, keys: Keys, ranks: Ints, ids: Sequence[str]) -> list[int]:
    """Owners, ascending, in whose order a document stands above one of a smaller rank; equal ranks say nothing."""
    by_rank = np.lexsort((keys, ranks, owner))
    same = owner[by_rank[1:]] == owner[by_rank[:-1]]
    step = keys[by_rank[1:]].astype(np.int64) - keys[by_rank[:-1]].astype(np.int64)
    wrong = same & (step < 0)
    tied = np.flatnonzero(same & (step == 0))
    names = list(map(ids.__getitem__, by_rank[tied].tolist()))
    followers = list(map(ids.__getitem__, by_rank[tied + 1].tolist()))
    rising = np.fromiter(map(str.__lt__, names, followers), bool, len(tied))
    level = ranks[by_rank[tied]] == ranks[by_rank[tied + 1]]
    wrong[tied[rising & ~level]] = True
    found = set(owner[by_rank[:-1][wrong]].tolist())
    for number in set(owner[by_rank[tied[level]]].tolist()) - found:
        rows = range(*np.searchsorted(owner, [number, number + 1]).tolist())
        by_id = sorted(rows, key=ids.__getitem__, reverse=True)
        held = ranks[sorted(by_id, key=keys.__getitem__)]
        if np.any(held[1:] < held[:-1]):
            found.add(number)
    return sorted(found)
