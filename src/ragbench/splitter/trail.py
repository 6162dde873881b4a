"""The headings that a chunk stands under."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ragbench.records.document import Document, Heading
from ragbench.splitter.trim import skip_blanks

_NUMBER_SIGNS = re.compile(r" {0,3}#{1,6}(?=\s|\Z)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")


class Trails:
    """The heading trails of one document.

    The trail of a chunk is the one at its first line that is no heading itself: a chunk that opens with headings
    stands under all of them that its text stands under. The trail of a chunk of headings only is that of its last
    heading, itself included. A chunk that begins or ends inside a heading holds a heading there. In source code a
    heading is the definition's own text: the trail is the one at the chunk's first line.

    `trails[n]` holds the headings that are open after the first n, from the outermost; `trails[0]` is empty. A heading
    without a title closes those of its level and below and is not part of a trail.
    """

    def __init__(self, document: Document) -> None:
        text, outline = document.text, document.outline
        self.trails = open_headings(outline)
        self._text = text
        self._starts = [heading.start for heading in outline]
        is_code = document.doc_type == "code"
        self._ends = self._starts if is_code else [_heading_end(text, start) for start in self._starts]
        self._together = _together(text, self._starts, self._ends)

    def index(self, start: int, end: int) -> int:
        """Which of `trails` is that of the chunk `[start, end)`; of logarithmic cost."""
        first = skip_blanks(self._text, start, end)
        begun = bisect_right(self._starts, first)
        if begun and first < self._ends[begun - 1]:
            return min(self._together[begun - 1], bisect_left(self._starts, end))
        return begun

    def body(self, number: int) -> tuple[int, int]:
        """`[start, end)` of what stands under the heading before `trails[number]`, up to the next heading.

        0 is the text before the first heading. In source code the definition itself is part of it.
        """
        start = self._ends[number - 1] if number else 0
        return start, self._starts[number] if number < len(self._starts) else len(self._text)


def open_headings(outline: Sequence[Heading]) -> list[tuple[Heading, ...]]:
    """Headings from the top down to each heading, itself included where it has a title; entry 0 is the empty trail
    before all headings."""
    trails: list[tuple[Heading, ...]] = [()]
    above: list[Heading] = []
    for heading in outline:
        while above and above[-1].level >= heading.level:
            above.pop()
        if heading.title:
            above.append(heading)
        trails.append(tuple(above))
    return trails


def _together(text: str, starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    """For each heading, how many headings have begun before the next line that is neither heading nor blank."""
    reached = list(range(1, len(starts) + 1))
    for position in range(len(starts) - 2, -1, -1):
        if not text[ends[position] : starts[position + 1]].strip():
            reached[position] = reached[position + 1]
    return reached


def _heading_end(text: str, start: int) -> int:
    """The end of a heading's last line: its only one after number signs, or the underline of its paragraph."""
    first = end = _line_end(text, start)
    if _NUMBER_SIGNS.match(text, start):
        return first
    while end < len(text):
        line_end = _line_end(text, end + 1)
        if _UNDERLINE.fullmatch(text, end + 1, line_end):
            return line_end
        if not text[end + 1 : line_end].strip():
            break
        end = line_end
    return first


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
