"""Where a document may be cut without breaking a sentence or a structure.

Found line by line with rules of its own, apart from those of the splitters it is used to compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

LINE_TYPES = frozenset(("code", "json", "csv", "sqlite", "table"))
"""Document types in which every line is a unit of its own."""

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*+•]\s+|\d{1,3}[.)、．]\s*|[（(][一二三四五六七八九十\d]{1,3}[)）]|[一二三四五六七八九十]{1,3}、|>\s)"
)
_CLAUSE = re.compile(
    r"\s*(?:#{1,6}\s*)?\**(?:第[一二三四五六七八九十百千零〇两\d]+条|(?:Article|ARTICLE|Section|Clause)\s+\d+|§\s*\d+)"
)
_CHAPTER = re.compile(r"\s*(?:#{1,6}\s*)?\**第[一二三四五六七八九十百千零〇两\d]+[章节编篇]")
_MARK = re.compile(r"[。！？；…!?.][。！？；…!?.]*[\"'”’」』）)\]]*")
_CHINESE_END = frozenset("。！？；…")
_ABBREVIATION = re.compile(r"(?:^|[^A-Za-z])(?:[A-Z]|e\.g|i\.e|vs|No|Dr|Mr|Ms|Mrs|Fig|etc|cf|approx|St)$")


@dataclass(frozen=True, slots=True)
class Borders:
    """Offsets at which a piece may start and at which it may end (of the first and after the last non-blank
    character)."""

    starts: frozenset[int]
    ends: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Line:
    kind: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def borders(text: str, doc_type: str = "") -> Borders:
    """Borders of sentences, paragraphs, headings, list items, table rows; fences and clauses have only their outer
    ones.

    A newline inside a paragraph is no border (hard-wrapped text), a blank line is. An unclosed fence is read as text.
    Blank text has no borders. Remembered, because the variants of a sweep share their documents.
    """
    starts: set[int] = set()
    ends: set[int] = set()
    for low, high in _units(text, doc_type):
        piece = text[low:high]
        lead = len(piece) - len(piece.lstrip())
        if lead < len(piece):
            starts.add(low + lead)
            ends.add(low + len(piece.rstrip()))
    return Borders(frozenset(starts), frozenset(ends))


def _units(text: str, doc_type: str) -> Iterator[tuple[int, int]]:
    lines = _lines(text)
    if doc_type in LINE_TYPES:
        yield from ((line.start, line.end) for line in lines)
        return
    paragraph: tuple[int, int] | None = None
    for low, high, kind in _joined(lines):
        if kind == "text" and paragraph is not None:
            paragraph = (paragraph[0], high)
            continue
        if paragraph is not None:
            yield from _sentences(text, *paragraph)
            paragraph = None
        if kind in ("text", "item"):
            paragraph = (low, high)
        elif kind != "blank":
            yield low, high
    if paragraph is not None:
        yield from _sentences(text, *paragraph)


def _joined(lines: list[_Line]) -> Iterator[tuple[int, int, str]]:
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


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    rows = text.split("\n")
    at, index = 0, 0
    while index < len(rows):
        row = rows[index]
        closing = _closing_fence(rows, index) if row.lstrip()[:3] in ("```", "~~~") else None
        if closing is not None:
            length = sum(len(one) + 1 for one in rows[index : closing + 1])
            found.append(_Line("fence", at, min(at + length, len(text))))
            at, index = at + length, closing + 1
            continue
        found.append(_Line(_kind(row), at, at + len(row)))
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
    if len(stripped) > 2 and stripped[0] == "|" and stripped[-1] == "|":
        return "row"
    if _CLAUSE.match(row):
        return "clause"
    if _CHAPTER.match(row):
        return "chapter"
    if _HEADING.match(row):
        return "heading"
    return "item" if _LIST_ITEM.match(row) else "text"


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    low = start
    for found in _MARK.finditer(text, start, end):
        if _ends_sentence(text, found):
            yield low, found.end()
            low = found.end()
    yield low, end


def _ends_sentence(text: str, found: re.Match[str]) -> bool:
    """Chinese marks always end one; ASCII marks where a blank or Chinese text follows, and not after an
    abbreviation."""
    mark, end = found.group(), found.end()
    if not _CHINESE_END.isdisjoint(mark):
        return True
    following = text[end : end + 1]
    if following and not following.isspace() and following < "\u2e80":
        return False
    return mark[0] != "." or _ABBREVIATION.search(text[max(0, found.start() - 8) : found.start()]) is None
