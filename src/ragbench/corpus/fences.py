"""Fenced code blocks, found line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})(.*)", re.DOTALL)


def fence_pairs(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Line numbers `(opening, closing)` of every closed code fence, in order.

    The rule is CommonMark's: three or more backticks or tildes, closed by at least as many of the same
    and nothing after them. A fence that is never closed is no fence here, so that a stray line of
    tildes does not turn the rest of a document into code. Linear in the number of lines.
    """
    marks = [(number, *mark) for number, line in enumerate(lines) if (mark := _mark(line))]
    longest_after = _longest_closer_after(marks)
    pairs, position = [], 0
    while position < len(marks):
        number, char, length, info = marks[position]
        opens = not (char == "`" and "`" in info) and longest_after[position].get(char, 0) >= length
        position += 1
        if not opens:
            continue
        while not _closes(marks[position], char, length):
            position += 1
        pairs.append((number, marks[position][0]))
        position += 1
    return pairs


def _mark(line: str) -> tuple[str, int, str] | None:
    if "```" not in line and "~~~" not in line:
        return None
    found = _FENCE.match(line)
    return (found[1][0], len(found[1]), found[2].strip()) if found else None


def _closes(mark: tuple[int, str, int, str], char: str, length: int) -> bool:
    return mark[1] == char and mark[2] >= length and not mark[3]


def _longest_closer_after(marks: Sequence[tuple[int, str, int, str]]) -> list[dict[str, int]]:
    longest: dict[str, int] = {}
    result: list[dict[str, int]] = []
    for _, char, length, info in reversed(marks):
        result.append(longest)
        if not info and length > longest.get(char, 0):
            longest = {**longest, char: length}
    return result[::-1]
