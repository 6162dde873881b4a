"""Fenced code blocks, found line by line."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator

_FENCE = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})(.*)", re.DOTALL)


def fence_pairs(lines: Iterable[str]) -> list[tuple[int, int]]:
    """Line numbers `(opening, closing)` of every closed code fence, in order.

    The rule is CommonMark's: three or more backticks or tildes, closed by at least as many of the same
    and nothing after them. A fence that is never closed is no fence here, so that a stray line of
    tildes does not turn the rest of a document into code. Linear in the number of lines.
    """
    return list(each_fence(lines))


def each_fence(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The same, one after the other: a text may hold more fences than there is room for."""
    marks = _Marks(lines)
    position = 0
    while position < len(marks.numbers):
        opening = position
        position += 1
        if not marks.is_closed_later(opening):
            continue
        while not marks.closes(position, opening):
            position += 1
        yield marks.numbers[opening], marks.numbers[position]
        position += 1


class _Marks:
    """The lines that look like a fence, in columns of a few bytes each."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.numbers = array("Q")
        # Backticks are counted above zero, tildes below.
        self._lengths = array("l")
        self._bare = bytearray()
        self._opens = bytearray()
        for number, line in enumerate(lines):
            found = _FENCE.match(line) if "```" in line or "~~~" in line else None
            if found:
                ticks, info = found[1][0] == "`", found[2].strip()
                self.numbers.append(number)
                self._lengths.append(len(found[1]) if ticks else -len(found[1]))
                self._bare.append(not info)
                self._opens.append(not (ticks and "`" in info))
        self._longest = self._longest_later()

    def _longest_later(self) -> array[int]:
        """For each mark the longest one of its sign after it that could close a fence."""
        longest = array("l", bytes(self._lengths.itemsize * len(self._lengths)))
        most = {True: 0, False: 0}
        for place in range(len(self._lengths) - 1, -1, -1):
            length = self._lengths[place]
            longest[place] = most[length > 0]
            if self._bare[place]:
                most[length > 0] = max(most[length > 0], abs(length))
        return longest

    def is_closed_later(self, place: int) -> bool:
        return bool(self._opens[place]) and self._longest[place] >= abs(self._lengths[place])

    def closes(self, place: int, opening: int) -> bool:
        """Whether the mark closes the fence that the other one opens."""
        length, needed = self._lengths[place], self._lengths[opening]
        return bool(self._bare[place]) and (length > 0) == (needed > 0) and abs(length) >= abs(needed)
