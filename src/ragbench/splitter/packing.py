"""Cutting at the best places and merging up to a size: what `recursive` and `markdown` share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragbench.records.document import Span
from ragbench.splitter.length import Offsets, Ruler
from ragbench.splitter.levels import AFTER_HEADING, NATURAL, NEVER, Levels
from ragbench.splitter.trim import drop_blanks, skip_blanks

_STRETCH = 1 << 18


@dataclass(frozen=True, slots=True)
class Limits:
    """Resolved size, overlap and minimum in units; `overlap < size` and `2 · smallest <= size`."""

    size: int
    overlap: int
    smallest: int


def pack(text: str, levels: Levels, ruler: Ruler, limits: Limits, borders: Sequence[int]) -> list[Span]:
    """Spans of at most `limits.size` units that never cross a border, in order.

    What is too long is cut at coarse places first and at finer ones only where that is not enough; neighbouring
    pieces are merged up to the size. A piece without any allowed cut becomes a longer span with the flag
    `atomic`. Spans end in no blanks; they begin with the indentation of their first line.

    Args:
        borders: ascending offsets, the first 0 and the last the text's length.
    """
    cuts = _pieces(levels, ruler, limits, np.array(borders, dtype=np.int64)).tolist()
    packer = _Packer(text, levels, ruler, limits, cuts)
    return [span for start, end in pairwise(borders) for span in packer.section(start, end)]


def _pieces(levels: Levels, ruler: Ruler, limits: Limits, cuts: Offsets) -> Offsets:
    """The borders and the cuts between them, so that a piece fits a span beside its overlap where cuts are allowed."""
    most = limits.size - limits.overlap
    for level in (*NATURAL, AFTER_HEADING):
        long = np.diff(ruler.units_before_all(cuts)) > most
        if not long.any():
            return cuts
        cuts = _merged(cuts, np.concatenate(list(_places(levels, level, cuts, long))))
    units = ruler.units_before_all(cuts)
    grids = [
        ruler.offsets(np.arange(first + most, last, most, dtype=np.int64))
        for first, last in zip(units[:-1].tolist(), units[1:].tolist())
        if last - first > most
    ]
    if not grids:
        return cuts
    grid = np.concatenate(grids)
    return _merged(cuts, grid[levels[grid] != NEVER])


def _merged(one: Offsets, other: Offsets) -> Offsets:
    """Two ascending arrays as one, each number once. numpy's union1d takes a hundred times as long, by hashing."""
    both = np.concatenate((one, other))
    both.sort(kind="stable")
    fresh = np.ones(len(both), dtype=np.bool_)
    np.not_equal(both[1:], both[:-1], out=fresh[1:])
    return both[fresh]


def _places(levels: Levels, level: int, cuts: Offsets, long: NDArray[np.bool_]) -> Iterator[Offsets]:
    """Where cuts of a level lie inside the pieces that are too long, ascending; a stretch of the text at a time."""
    last = len(levels) - 1
    for start in range(0, last, _STRETCH):
        at = start + np.flatnonzero(levels[start : min(start + _STRETCH, last)] == level)
        at = at[at > 0]
        yield at[long[np.searchsorted(cuts, at, side="right") - 1]]


class _Packer:
    """Merges the pieces of one text."""

    def __init__(self, text: str, levels: Levels, ruler: Ruler, limits: Limits, cuts: list[int]) -> None:
        self.text, self.levels, self.ruler, self.cuts = text, levels, ruler, cuts
        self.size, self.overlap, self.smallest = limits.size, limits.overlap, limits.smallest

    def section(self, start: int, end: int) -> list[Span]:
        """The spans of `[start, end)`."""
        end = drop_blanks(self.text, start, end)
        spans: list[tuple[int, int]] = []
        covered = start
        while (position := skip_blanks(self.text, covered, end)) < end:
            first = self._indented(position, covered, end)
            if spans:
                first = min(first, skip_blanks(self.text, self._overlap_start(*spans[-1], position, end), position))
            covered = self._end(first, position, end)
            spans.append((first, drop_blanks(self.text, position, covered)))
        spans = self._without_short_tail(spans)
        return [Span(s, e, ("atomic",) if self.ruler.length(s, e) > self.size else ()) for s, e in spans]

    def _next_cut(self, position: int, end: int) -> int:
        """The end of the piece that `position` lies in."""
        return min(self.cuts[bisect_right(self.cuts, position)], end)

    def _indented(self, position: int, least: int, end: int) -> int:
        """Back to the start of the line over its indentation, where the next piece still fits the size with it."""
        line = position
        while line > least and self.text[line - 1] != "\n" and self.text[line - 1].isspace():
            line -= 1
        at_line_start = line == 0 or self.text[line - 1] == "\n"
        fits = self.ruler.length(line, self._next_cut(position, end)) <= self.size
        return line if at_line_start and fits else position

    def _end(self, first: int, position: int, end: int) -> int:
        """How far a span from `first` reaches; it covers at least one piece beyond `position`."""
        furthest = self._furthest(first, end)
        reached = min(self.cuts[bisect_right(self.cuts, furthest) - 1], end)
        if furthest >= end:
            return end
        if reached <= position:
            reached = self._next_cut(position, end)
        if reached < end and self._is_short(first, reached):
            return self._lengthened(reached, furthest, end)
        return reached

    def _furthest(self, first: int, end: int) -> int:
        return min(self.ruler.offset(self.ruler.units_before(first) + self.size), end)

    def _is_short(self, start: int, end: int) -> bool:
        return self.ruler.length(start, drop_blanks(self.text, start, end)) < self.smallest

    def _lengthened(self, reached: int, furthest: int, end: int) -> int:
        """A better end of a span that is too short: the best cut inside the next piece, or an atomic one's end."""
        window = self.levels[reached + 1 : furthest + 1]
        best = int(window.min()) if len(window) else NEVER
        if best == NEVER:
            return self._next_cut(reached, end)
        return reached + 1 + int(np.flatnonzero(window == best)[-1])

    def _overlap_start(self, start: int, end: int, position: int, last: int) -> int:
        """Where the next span begins so that it repeats the end of `[start, end)` and still holds the next piece.

        The start is a natural place in the first half of the overlap where there is one, so that the overlap
        is at least half of what was asked for.
        """
        following = self.ruler.units_before(self._next_cut(position, last))
        until = self.ruler.units_before(end)
        least = max(until - self.overlap, following - self.size)
        lowest = max(self.ruler.offset(least), start + 1)
        if least >= until or lowest >= end:
            return position
        half = max(self.ruler.offset((least + until) // 2), lowest)
        window = self.levels[lowest : half + 1]
        best = int(window.min())
        return position if best >= AFTER_HEADING else lowest + int(window.argmin())

    def _without_short_tail(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Give a last span that is too short to the one before it, or move the border between them."""
        if len(spans) < 2 or not self._is_short(*spans[-1]):
            return spans
        (start, end), (tail, last) = spans[-2:]
        # Where the span before the last begins to hold what no other does; it must keep some of that.
        new = max(start, skip_blanks(self.text, spans[-3][1], last)) if len(spans) > 2 else start
        border = self._moved_border(new, last)
        if self.ruler.length(start, last) <= self.size:
            return [*spans[:-2], (start, last)]
        if border is None:
            return [*spans[:-2], (new if self.ruler.length(new, last) <= self.size else start, last)]
        moved = skip_blanks(self.text, border, tail)
        return [*spans[:-2], (start, self._trimmed(start, end, border, moved)), (moved, last)]

    def _trimmed(self, start: int, end: int, border: int, following: int) -> int:
        """The end of the span before a moved border: it repeats at most the overlap of the one that follows."""
        most = self.ruler.offset(self.ruler.units_before(following) + self.overlap)
        if self.overlap and end <= most:
            return end
        window = self.levels[border : most + 1] if self.overlap else self.levels[border : border + 1]
        cut = border + int(np.flatnonzero(window == window.min())[-1])
        return drop_blanks(self.text, start, cut)

    def _moved_border(self, start: int, last: int) -> int | None:
        """The best cut that leaves both sides long enough; None inside an atomic unit."""
        units = self.ruler.units_before(last)
        furthest = self.ruler.offset(units - self.smallest)
        nearest = self.ruler.offset(units - min(3 * self.smallest, self.size - self.smallest))
        nearest = max(nearest, skip_blanks(self.text, start, last) + 1)
        window = self.levels[nearest : furthest + 1]
        best = int(window.min()) if len(window) else NEVER
        return None if best == NEVER else nearest + int(np.flatnonzero(window == best)[-1])
