"""The lines of a document and what kind each is, read by rules that no splitter shares."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*+•]\s+|\d{1,3}[.)、．]\s*|[（(][一二三四五六七八九十\d]{1,3}[)）]|[一二三四五六七八九十]{1,3}、|>\s)"
)
_CLAUSE = re.compile(
    r"\s*(?:#{1,6}\s*)?\**(?:第[一二三四五六七八九十百千零〇两\d]+条|(?:Article|ARTICLE|Section|Clause)\s+\d+|§\s*\d+)"
)
_CHAPTER = re.compile(r"\s*(?:#{1,6}\s*)?\**第[一二三四五六七八九十百千零〇两\d]+[章节编篇]")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})\s*")
_RULE = re.compile(r" {0,3}(?:\*{3,}|_{3,})\s*")
# What every line begins with that is not plain text.
_OPENS = re.compile(r"[#*第ASC§\-+•(（>=_|\d一二三四五六七八九十]")


class Line(NamedTuple):
    """`[start, end)` of the text; `kind` is blank, text, underline, rule, row, clause, chapter, heading, item, or fence
    for a whole block of code."""

    kind: str
    start: int
    end: int


def lines_of(text: str) -> list[Line]:
    """The lines in order; those of a code fence that is closed are one."""
    found: list[Line] = []
    rows = text.split("\n")
    at, index = 0, 0
    while index < len(rows):
        row = rows[index]
        closing = _closing_fence(rows, index) if row.lstrip()[:3] in ("```", "~~~") else None
        if closing is not None:
            length = sum(len(one) + 1 for one in rows[index : closing + 1])
            found.append(Line("fence", at, min(at + length, len(text))))
            at, index = at + length, closing + 1
            continue
        found.append(Line(_kind(row), at, at + len(row)))
        at, index = at + len(row) + 1, index + 1
    return found


def _closing_fence(rows: list[str], opening: int) -> int | None:
    mark = _FENCE.match(rows[opening])
    if mark is None:
        return None
    for index in range(opening + 1, len(rows)):
        row = rows[index].strip()
        if row.startswith(mark[1]) and not row.strip(mark[1][0]):
            return index
    return None


def _kind(row: str) -> str:
    stripped = row.strip()
    if not stripped:
        return "blank"
    if not _OPENS.match(stripped):
        return "text"
    if _UNDERLINE.fullmatch(row):
        return "underline"
    if _RULE.fullmatch(row):
        return "rule"
    if len(stripped) > 2 and stripped[0] == "|" and stripped[-1] == "|":
        return "row"
    if _CLAUSE.match(row):
        return "clause"
    if _CHAPTER.match(row):
        return "chapter"
    if _HEADING.match(row):
        return "heading"
    return "item" if _LIST_ITEM.match(row) else "text"
