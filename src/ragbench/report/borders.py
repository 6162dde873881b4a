"""Where the borders of chunks fall in the text around a question's evidence."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ragbench.records.question import EvidenceItem, Question

TextOf = Mapping[str, str]
"""Texts of documents by id; a document that is not at hand is absent."""

CONTEXT = 300
"""Characters shown before and after a piece of evidence."""

LONGEST = 2400
"""Characters of a window at most; of longer evidence the beginning is shown."""

MOST_WINDOWS = 8
_LINE = 80

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of one document around evidence, in code points: `text == document[start:end]`.

    `marks` are the pieces of evidence in it, clipped to it; `groups` the numbers of their evidence groups. `length` is
    that of the document; `text` None: it is not at hand.
    """

    doc_id: str
    start: int
    end: int
    length: int
    marks: tuple[Interval, ...]
    groups: tuple[int, ...]
    text: str | None

    def holds(self, at: int) -> bool:
        """Whether an offset lies inside, edges excluded."""
        return self.start < at < self.end

    def row(self) -> dict[str, Any]:
        """Compact row for the page."""
        return {
            "d": self.doc_id, "s": self.start, "e": self.end, "n": self.length, "t": self.text,
            "m": [list(mark) for mark in self.marks], "g": list(self.groups),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as the drawing needs it; `parent` is the interval that is packed in place of it."""

    number: int
    start: int
    end: int
    parent: Interval | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a window between two borders, and the borders before it.

    `chunks` hold it: none where the text is in no chunk, several where they overlap. `ended` and `begun` are the chunks
    that the stretch before it had and this one has not, and the other way round; `left` and `entered` the same for
    parents. `start` and `end` leave out blank lines at the edges. The last segment of a window is empty and carries the
    borders at its end.
    """

    start: int
    end: int
    chunks: tuple[int, ...] = ()
    parents: tuple[Interval, ...] = ()
    ended: tuple[int, ...] = ()
    begun: tuple[int, ...] = ()
    left: tuple[Interval, ...] = ()
    entered: tuple[Interval, ...] = ()

    def row(self) -> dict[str, Any]:
        """Compact row for the page; empty fields are left out."""
        fields = {
            "c": self.chunks, "p": self.parents, "x": self.ended, "b": self.begun, "px": self.left, "pb": self.entered,
        }  # fmt: skip
        return {"s": self.start, "e": self.end} | {key: list(value) for key, value in fields.items() if value}


def windows_of(question: Question, texts: TextOf, context: int = CONTEXT) -> tuple[list[Window], int]:
    """The windows around the evidence of a question, and the number left out beyond `MOST_WINDOWS`.

    Documents stand in the order of the evidence. Neighbouring pieces of one document share a window while it stays
    within `LONGEST`. Evidence that is a whole document has none; nor has evidence outside its document's text.
    """
    found: dict[str, list[tuple[int, EvidenceItem]]] = {}
    for number, group in enumerate(question.groups):
        for item in group.items:
            text = texts.get(item.doc_id)
            if not item.whole and 0 <= item.start < item.end and (text is None or item.end <= len(text)):
                found.setdefault(item.doc_id, []).append((number, item))
    windows = [window for doc_id, items in found.items() for window in _merged(doc_id, items, texts, context)]
    return windows[:MOST_WINDOWS], max(0, len(windows) - MOST_WINDOWS)


def _merged(doc_id: str, items: Sequence[tuple[int, EvidenceItem]], texts: TextOf, context: int) -> Iterable[Window]:
    text = texts.get(doc_id)
    gathered: list[tuple[int, int, list[tuple[int, EvidenceItem]]]] = []
    for number, item in sorted(items, key=lambda pair: (pair[1].start, pair[1].end, pair[0])):
        low, high = _around(item, text, context)
        if gathered and low <= gathered[-1][1] and max(high, gathered[-1][1]) - gathered[-1][0] <= LONGEST:
            first, last, members = gathered[-1]
            gathered[-1] = (first, max(last, high), [*members, (number, item)])
        else:
            gathered.append((low, high, [(number, item)]))
    for low, high, members in gathered:
        marks = sorted({(max(low, item.start), min(high, item.end)) for _, item in members})
        groups = sorted({number for number, _ in members})
        shown = None if text is None else text[low:high]
        yield Window(doc_id, low, high, high if text is None else len(text), tuple(marks), tuple(groups), shown)


def _around(item: EvidenceItem, text: str | None, context: int) -> Interval:
    """The window of one piece of evidence; it begins and ends at a line's edge where one is near."""
    low = max(0, item.start - context)
    high = min(item.end + context, low + LONGEST)
    if text is None:
        return low, high
    line = text.rfind("\n", max(0, low - _LINE), low)
    low = line + 1 if line >= 0 else 0 if low < _LINE else low
    line = text.find("\n", high, high + _LINE)
    high = line if line >= 0 else len(text) if len(text) - high < _LINE else high
    return low, min(high, low + LONGEST, len(text))


class Pieces:
    """The chunks of one document, by start."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.all = sorted(pieces, key=lambda piece: (piece.start, piece.end))
        self._longest = max((piece.end - piece.start for piece in self.all), default=0)

    def within(self, start: int, end: int) -> list[Piece]:
        """Those that share a character with `[start, end)`."""
        low = bisect_right(self.all, start - self._longest, key=lambda piece: piece.start)
        high = bisect_left(self.all, end, key=lambda piece: piece.start)
        return [piece for piece in self.all[low:high] if piece.end > start]


def segments(window: Window, pieces: Sequence[Piece]) -> list[Segment]:
    """The window cut at every border of the pieces and their parents.

    Stretches of blanks alone are left out: what a splitter trims is no loss. Without a text nothing is left out.
    """
    parents = sorted({piece.parent for piece in pieces if piece.parent is not None})
    intervals = [*((piece.start, piece.end) for piece in pieces), *parents]
    cuts = sorted({window.start, window.end} | {at for pair in intervals for at in pair if window.holds(at)})
    found = [Segment(window.start, window.start)]
    for low, high in pairwise(cuts):
        start, end = _solid(window, low, high)
        if start < end:
            chunks = tuple(piece.number for piece in pieces if piece.start <= low and high <= piece.end)
            around = tuple(one for one in parents if one[0] <= low and high <= one[1])
            found.append(_after(found[-1], start, end, chunks, around))
    found.append(_after(found[-1], window.end, window.end, (), ()))
    return found[1:]


def _after(before: Segment, start: int, end: int, chunks: tuple[int, ...], parents: tuple[Interval, ...]) -> Segment:
    ended = tuple(one for one in before.chunks if one not in chunks)
    begun = tuple(one for one in chunks if one not in before.chunks)
    left = tuple(one for one in before.parents if one not in parents)
    entered = tuple(one for one in parents if one not in before.parents)
    return Segment(start, end, chunks, parents, ended, begun, left, entered)


def _solid(window: Window, low: int, high: int) -> Interval:
    """`[low, high)` without blank lines at its edges; indentation of the first line stays."""
    if window.text is None:
        return low, high
    text = window.text[low - window.start : high - window.start]
    if not text.strip():
        return low, low
    first = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
    last = text.find("\n", len(text.rstrip()))
    return low + first, low + last if last >= 0 else high


def repeated_share(places: Mapping[str, Sequence[Interval]]) -> float | None:
    """Characters in more than one chunk ÷ characters in at least one, from the intervals of each document, ascending by
    start; None without chunks."""
    once = again = 0
    for intervals in places.values():
        reached = doubled = 0
        for start, end in intervals:
            once += max(0, end - max(start, reached))
            again += max(0, min(end, reached) - max(start, doubled))
            doubled = max(doubled, min(end, reached))
            reached = max(reached, end)
    return again / once if once else None
