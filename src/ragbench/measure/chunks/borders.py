"""Where a document may be cut without breaking a sentence or a structure.

Found line by line with rules of its own, apart from those of the splitters it is used to compare.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from ragbench.measure.chunks.border_lines import Line, lines_of

LINE_TYPES = frozenset(("code", "json", "csv", "sqlite", "table"))
"""Document types in which every line is a unit of its own."""

# After these a sentence never ends: a name, a number or an example follows. So it is after a single capital.
_NEVER_ENDS = frozenset(
    (
        *("e.g", "i.e", "vs", "Dr", "Mr", "Ms", "Mrs", "Prof", "Rev", "Gen", "Sen", "Gov", "Hon", "Capt", "Lt", "Sgt"),
        *("Messrs", "Mt", "Fig", "Figs", "etc", "cf", "approx", "St"),
    )
)
# After these it ends unless a small letter or a figure follows: Inc. was, Jan. 5, p.m. today, No. 7.
_ENDS_OR_NOT = frozenset(
    (
        *("inc", "ltd", "co", "corp", "llc", "plc", "bros", "dept", "est", "jr", "sr", "al", "a.m", "p.m", "u.s"),
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "ph.d", "u.k"),
        *("no", "nos", "p", "pp", "vol", "ch", "sec", "art", "para", "ver", "ed", "eds", "eq", "ca", "max", "min"),
        *("tel", "ext"),
    )
)
_LONGEST = 6
_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _CAPITALS | frozenset("abcdefghijklmnopqrstuvwxyz")
_CHINESE = frozenset("。！？；…")
_GOES_ON = re.compile(r"\s+[a-z\d]")
# A run of marks and what closes after it; the second group is there where neither a blank nor Chinese text follows.
_MARKS = re.compile(r"([。！？；…!?.]++)[\"'”’」』）)\]]*+(?:(?=[\s\u2e80-\U0010ffff])|\Z|())")
_LAST = frozenset("。！？；…!?.\"'”’」』）)]")
"""What a sentence inside a paragraph ends with."""
_NEAR = 64


_Offsets = tuple[frozenset[int], frozenset[int]]


class Borders:
    """Offsets at which a piece may start and at which it may end (of the first and after the last non-blank
    character). The sentences of a paragraph are looked for when an offset in it is first asked about: chunks end in
    few of them."""

    def __init__(self, text: str, doc_type: str) -> None:
        self._text = text
        self._blocks = list(_blocks(text, doc_type))
        self._lows = [low for low, _, _ in self._blocks]
        self._known: dict[int, _Offsets] = {}

    def starts_at(self, offset: int) -> bool:
        """Whether a piece may start here."""
        at = bisect_right(self._lows, offset) - 1
        return not self._goes_on(at, offset) and offset in self._of(at)[0]

    def ends_at(self, offset: int) -> bool:
        """Whether a piece may end here."""
        at = bisect_left(self._lows, offset) - 1
        return not self._goes_on(at, offset) and offset in self._of(at)[1]

    def _goes_on(self, at: int, offset: int) -> bool:
        """Whether it can be seen at once that the offset lies inside a sentence: most do."""
        first, last, parted = self._blocks[at] if at >= 0 else (0, 0, False)
        if not parted:
            return False
        before = self._text[max(first, offset - _NEAR) : offset].rstrip()
        after = self._text[offset : min(last, offset + _NEAR)].lstrip()
        return bool(before and after) and before[-1] not in _LAST

    def _of(self, at: int) -> _Offsets:
        if at not in self._known:
            self._known[at] = self._found(at) if at >= 0 else (frozenset(), frozenset())
        return self._known[at]

    def _found(self, at: int) -> _Offsets:
        starts: set[int] = set()
        ends: set[int] = set()
        text = self._text
        first, last, parted = self._blocks[at]
        for low, high in _sentences(text, first, last) if parted else [(first, last)]:
            piece = text[low:high]
            if piece and not piece.isspace():
                starts.add(high - len(piece.lstrip()))
                ends.add(low + len(piece.rstrip()))
        return frozenset(starts), frozenset(ends)


@lru_cache(maxsize=4096)
def borders(text: str, doc_type: str = "") -> Borders:
    """Borders of sentences, paragraphs, headings, list items, table rows; fences and clauses have only their outer
    ones.

    A newline inside a paragraph is no border (hard-wrapped text), a blank line is, and so is the line after a paragraph
    that is underlined, which is a heading. An unclosed fence is read as text.
    Blank text has no borders. Remembered, because the variants of a sweep share their documents.
    """
    return Borders(text, doc_type)


def _blocks(text: str, doc_type: str) -> Iterator[tuple[int, int, bool]]:
    """What has borders at both ends, in order and apart from each other; of a paragraph or item its sentences have
    borders too."""
    lines = lines_of(text)
    if doc_type in LINE_TYPES:
        yield from ((line.start, line.end, False) for line in lines)
        return
    paragraph: tuple[int, int] | None = None
    opened = ""
    for low, high, kind in _joined(lines):
        if kind == "text" and paragraph is not None:
            paragraph = (paragraph[0], high)
            continue
        if kind == "underline" and paragraph is not None and opened == "text":
            yield paragraph[0], high, False
            paragraph = None
            continue
        if paragraph is not None:
            yield *paragraph, True
            paragraph = None
        if kind in ("text", "item"):
            paragraph, opened = (low, high), kind
        elif kind != "blank":
            yield low, high, False
    if paragraph is not None:
        yield *paragraph, True


def _joined(lines: list[Line]) -> Iterator[tuple[int, int, str]]:
    """Lines with the lines of one clause joined: from its first line to the next clause, chapter or heading."""
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.kind != "clause":
            yield line.start, line.end, line.kind
            index += 1
            continue
        last = index + 1
        while last < len(lines) and lines[last].kind not in ("clause", "chapter", "heading"):
            last += 1
        yield line.start, lines[last - 1].end, "clause"
        index = last


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A run of marks with a Chinese one always ends a sentence; else where a blank or Chinese text follows, and not
    when its first mark is the stop of an abbreviation."""
    low = start
    for found in _MARKS.finditer(text, start, end):
        marks, inside = found[1], found[2] is not None
        if marks[0] != ".":
            if inside and _CHINESE.isdisjoint(marks):
                continue
        else:
            always = not _CHINESE.isdisjoint(marks)
            if inside and not always:
                continue
            word = _abbreviated(text, found.start(), start)
            if not always and (word in _NEVER_ENDS or (word[-1:] in _CAPITALS and word[-2:-1] in ("", "."))):
                continue
            if word.lower() in _ENDS_OR_NOT and _GOES_ON.match(text, found.end(), end):
                continue
        yield low, found.end()
        low = found.end()
    yield low, end


def _abbreviated(text: str, stop: int, start: int) -> str:
    """The letters before a stop with those before a stop in front of the last one (`e.g`, `U.S`); of more letters than
    an abbreviation has, the last ones."""
    first = max(start, stop - _LONGEST - 1)
    word = text[first:stop].rpartition(" ")[2]
    if word.isascii() and word.isalpha():
        return word
    begin = _letters_before(text, stop, first)
    if begin == stop - 1 and begin > first and text[begin - 1] == ".":
        dotted = _letters_before(text, begin - 1, first)
        begin = dotted if dotted < begin - 1 else begin
    return text[begin:stop]


def _letters_before(text: str, stop: int, first: int) -> int:
    while stop > first and text[stop - 1] in _LETTERS:
        stop -= 1
    return stop
