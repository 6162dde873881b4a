"""Choosing the best of scored chunks, repeatably."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.core.workers import Floats
from ragbench.index.base import FoundList, Ints

NOTHING: FoundList = (np.empty(0, np.int32), np.empty(0, np.float32))


def best(scores: Floats, numbers: Ints, depth: int) -> FoundList:
    """The `depth` highest of `scores` [n] with their chunk numbers [n], which ascend.

    Score descending, then chunk number ascending, also where the cut falls among equal scores.
    Fewer than `depth` when there are fewer; nothing for a depth of zero or less.
    """
    if depth <= 0 or not len(scores):
        return NOTHING
    if depth < len(scores):
        floor = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        kept = np.flatnonzero(scores >= floor)
        scores, numbers = scores[kept], numbers[kept]
    order = np.argsort(-scores, kind="stable")[:depth]
    return numbers[order].astype(np.int32), scores[order].astype(np.float32)


def chosen(allowed: NDArray[Any], size: int) -> Ints:
    """`allowed` as ascending chunk numbers without doubles; numbers outside `[0, size)` are left out."""
    numbers = np.asarray(allowed, dtype=np.int64)
    if not (numbers[1:] > numbers[:-1]).all():
        numbers = np.unique(numbers)
    return numbers[slice(*np.searchsorted(numbers, (0, size)))].astype(np.int32)
