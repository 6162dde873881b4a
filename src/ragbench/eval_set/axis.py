"""Chunks and evidence of all documents on one axis, so that one binary search serves every document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ragbench.eval_set.align import Placed

Ints = NDArray[np.int64]
_BLOCK = 2_000_000
"""Pairs looked at together, so that memory stays bounded whatever overlaps."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Chunks of all documents on one axis.

    `base`: where each document begins. `order`: chunk numbers by start; `starts` and `ends` are in that order, `reach`
    is the furthest end so far. `low`, `high`, `before`: the disjoint covered stretches and the covered characters
    before each.
    """

    base: Mapping[str, int]
    order: Ints
    starts: Ints
    ends: Ints
    reach: Ints
    low: Ints
    high: Ints
    before: Ints

    @classmethod
    def of(cls, chunks: Sequence[Placed], items: Sequence[Placed]) -> Axis:
        """Lay the chunks out. Documents lie one character apart and have room for the items that end after their last
        chunk, so that nothing reaches into the next document."""
        lengths: dict[str, int] = {}
        for placed in chain(chunks, items):
            if placed.end > lengths.get(placed.doc_id, -1):
                lengths[placed.doc_id] = placed.end
        base: dict[str, int] = {}
        offset = 0
        for doc_id, length in lengths.items():
            base[doc_id] = offset
            offset += length + 1
        shift = np.array([base[chunk.doc_id] for chunk in chunks], dtype=np.int64)
        starts = np.array([chunk.start for chunk in chunks], dtype=np.int64) + shift
        ends = np.array([chunk.end for chunk in chunks], dtype=np.int64) + shift
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], ends[order]
        reach = np.maximum.accumulate(ends) if len(ends) else ends
        opens = np.ones(len(starts), dtype=bool)
        opens[1:] = starts[1:] > reach[:-1]
        low = starts[opens]
        high = reach[np.append(np.flatnonzero(opens)[1:] - 1, len(starts) - 1)] if len(starts) else reach
        before = np.cumsum(high - low) - (high - low)
        return cls(base, order, starts, ends, reach, low, high, before)

    def intact(self, start: Ints, end: Ints) -> NDArray[np.bool_]:
        """Whether one chunk holds all of each interval."""
        if not len(self.starts):
            return np.zeros(len(start), dtype=bool)
        at = np.searchsorted(self.starts, start, side="right") - 1
        return (at >= 0) & (self.reach[np.maximum(at, 0)] >= end)

    def covered(self, start: Ints, end: Ints) -> Ints:
        """Characters of each interval that some chunk covers."""
        if not len(self.low):
            return np.zeros(len(start), dtype=np.int64)
        return self._covered_before(end) - self._covered_before(start)

    def _covered_before(self, at: Ints) -> Ints:
        stretch = np.searchsorted(self.low, at, side="right") - 1
        safe = np.maximum(stretch, 0)
        inside = np.minimum(at, self.high[safe]) - self.low[safe]
        return np.where(stretch < 0, 0, self.before[safe] + inside)

    def chunks_meeting(self, start: Ints, end: Ints) -> Iterator[tuple[Ints, Ints]]:
        """`(intervals, places)` of all pairs that share a character, block by block; a place is one in `order`."""
        for interval, place in _candidates(self.starts, self.reach, start, end):
            meets = self.ends[place] > start[interval]
            yield interval[meets], place[meets]

    def stretches_meeting(self, start: Ints, end: Ints) -> Iterator[tuple[Ints, Ints]]:
        """The same for the covered stretches; a place is one in `low`."""
        yield from _candidates(self.low, self.high, start, end)


def _candidates(starts: Ints, reach: Ints, start: Ints, end: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of intervals with the things that begin before their end, from the first that reaches beyond their
    start."""
    first = np.searchsorted(reach, start, side="right").astype(np.int64)
    counts = np.maximum(np.searchsorted(starts, end, side="left") - first, 0).astype(np.int64)
    total = np.cumsum(counts)
    at = 0
    while at < len(counts):
        done = int(total[at - 1]) if at else 0
        stop = max(at + 1, int(np.searchsorted(total, done + _BLOCK, side="right")))
        part = counts[at:stop]
        interval = np.repeat(np.arange(at, stop, dtype=np.int64), part)
        within = np.arange(len(interval), dtype=np.int64) - np.repeat(np.cumsum(part) - part, part)
        yield interval, first[interval] + within
        at = stop
