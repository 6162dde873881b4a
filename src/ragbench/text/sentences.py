"""Sentences of Chinese, English and mixed text, aware of lists, tables, headings and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["prose", "item", "row", "heading", "code"]
_PARTED = ("prose", "item")
"""What holds sentences; the others are one each."""

_CLOSERS = "\"'”’」』）)］\\]】》〉`*_"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"[\s|:+=_*~-]+$")
_MARKER = re.compile(
    r"\s*(?:[-*+•·‣▪●○◆■]\s+|\(?\d{1,3}[.)、）．](?!\d)\s*|[（(](?:\d{1,3}|[一二三四五六七八九十]{1,3}|[a-z])[)）]\s*"
    r"|[一二三四五六七八九十]{1,3}、|[①-⑳]\s*|[QqAa问答][:：]\s*|>\s+)"
)
_MARKING = frozenset("一二三四五六七八九十QqAa问答")
"""Letters that a marker may begin with."""
# A run of marks and what closes after it. A full stop that a small letter follows ends nothing: alone it is passed by,
# in a run it is in the group. One set of characters stands first, which is looked for faster than alternatives.
_SMALL = r"[ \n\t]{1,7}[a-z]"
_STOP = re.compile(
    rf"[。！？；….!?](?!(?<=\.)[{_CLOSERS}]*+{_SMALL})(?:(?<=[。！？；…])[。！？；…]*"
    rf"|(?<=\.)[.!?]*+[{_CLOSERS}]*+({_SMALL})|(?<=[.!?])[.!?]*)[{_CLOSERS}]*"
)
_RECORD = re.compile(r"\s*(?:\[?\d{1,4}[-/:年]\d{1,2}|[^\s:：]{1,12}[:：])")
_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof st sr jr vs v etc e.g i.e eg ie no nos fig figs al approx ca cf dept est inc ltd co corp ver vol
    sec ch p pp art para rev ext tel max min u.s u.k a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()  # noqa: SIM905 - words are read more easily than a list of quotes
)
_WRAP_WIDTH = 50


@dataclass(frozen=True, slots=True)
class Sentence:
    """`[start, end)` of the text it was found in, without white space at its ends.

    `kind` says what it stands in; `marker` is the length of a list marker at its start (`- `, `1.`, `（一）`), which
    is inside the span.
    """

    start: int
    end: int
    kind: Kind = "prose"
    marker: int = 0


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in ascending order, disjoint; together they hold every visible character except rules
    (`|---|`, `---`).

    A sentence ends at `。！？；…`, at `!`, `?` or `.` before white space (not after an abbreviation, an initial or
    inside a number or a version), with the quotes and brackets that close behind it. Headings, list items, table
    rows, blank lines and code fences (kept whole) are borders; a line that was wrapped runs on. Empty text gives an
    empty list. Linear in the text.
    """
    return list(each_sentence(text))


def each_sentence(text: str) -> Iterator[Sentence]:
    """The same, one after the other: a large text holds more sentences than are needed at once."""
    for start, end, kind, marker in _blocks(text):
        if kind not in _PARTED:
            start, end = _trim(text, start, end)
            if start < end:
                yield Sentence(start, end, kind)
            continue
        for low, high in _split(text, start, end, marker):
            yield Sentence(low, high, kind, marker)
            marker = 0  # it is in the first sentence


def sentence_places(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, for those who need no more."""
    found: list[tuple[int, int]] = []
    for start, end, kind, marker in _blocks(text):
        found += _split(text, start, end, marker) if kind in _PARTED else [_trim(text, start, end)]
    return [place for place in found if place[0] < place[1]]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        yield at, stop
        at = stop + 1


def _blocks(text: str) -> Iterator[tuple[int, int, Kind, int]]:
    """Runs of lines that belong together: start, end, kind, length of the list marker."""
    fence: tuple[int, str] | None = None
    opened: tuple[int, int, Kind, int] | None = None
    last = 0
    for start, end in _lines(text):
        line = text[start:end]
        if fence is not None:
            if line.strip().startswith(fence[1]) and not line.strip(" `~\t\r"):
                yield fence[0], end, "code", 0
                fence = None
            continue
        kind, marker = _line_kind(line)
        if opened is not None and not (kind == "prose" and _runs_on(text[last : opened[1]], line, opened[2])):
            yield opened
            opened = None
        if kind == "fence":
            match = _FENCE.match(line)
            assert match is not None
            fence = (start, match[1])
        elif kind in ("row", "heading"):
            yield start, end, "row" if kind == "row" else "heading", 0
        elif kind in ("prose", "item"):
            last = start
            opened = (opened[0], end, opened[2], opened[3]) if opened else (start, end, _prose_kind(kind), marker)
    if fence is not None:
        yield fence[0], len(text), "code", 0
    if opened is not None:
        yield opened


def _prose_kind(kind: str) -> Kind:
    return "item" if kind == "item" else "prose"


def _line_kind(line: str) -> tuple[str, int]:
    if line[:1].isalpha() and line[0] not in _MARKING:
        return "prose", 0
    if not line.strip() or _RULE.fullmatch(line):
        return "blank", 0
    if _FENCE.match(line):
        return "fence", 0
    if _HEADING.match(line):
        return "heading", 0
    if _ROW.match(line):
        return "row", 0
    marker = _MARKER.match(line)
    if marker and marker.end() < len(line.rstrip()):
        return "item", marker.end() - (len(line) - len(line.lstrip()))
    return "prose", 0


def _runs_on(last: str, line: str, kind: Kind) -> bool:
    """Whether `line` continues a wrapped paragraph: the last line is long, ends in no stop and the next begins no
    record."""
    last = last.rstrip()
    if not last or last[-1] in "。！？；…!?：:":
        return last[-1:] not in ("：", ":") and _width(last) >= _WRAP_WIDTH and not _RECORD.match(line)
    indented = line[:1] in " \t" and kind == "item"
    return indented or (_width(last) >= _WRAP_WIDTH and not _RECORD.match(line))


def _width(line: str) -> int:
    """Columns of a line, wide characters counted as two; only as far as needed."""
    return len(line) if len(line) >= _WRAP_WIDTH else sum(2 if char >= "\u2e80" else 1 for char in line)


def _split(text: str, start: int, end: int, marker: int) -> Iterator[tuple[int, int]]:
    at = start
    body = _trim(text, start, end)[0] + marker
    for match in _STOP.finditer(text, body, end):
        after = match.end()
        if match[1] is not None or (after < end and not _is_border(text, match.start(), after, end)):
            continue
        low, high = _trim(text, at, after)
        if low < high:
            yield low, high
        at = after
    low, high = _trim(text, at, end)
    if low < high:
        yield low, high


def _is_border(text: str, stop: int, after: int, end: int) -> bool:
    """Whether the stop at `stop` ends a sentence; `after` is behind its closers."""
    char = text[stop]
    if char in "。！？；…":
        return True
    following = text[after]
    if not following.isspace():
        return char != "." and following >= "\u2e80"
    rest = text[after : min(end, after + 8)].lstrip()
    if char != ".":
        return True
    if rest[:1].islower():
        return False
    word = _word_before(text, stop)
    return not (word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word.isupper()))


def _word_before(text: str, stop: int) -> str:
    at = stop
    while at > 0 and stop - at < 8 and (text[at - 1].isascii() and (text[at - 1].isalpha() or text[at - 1] == ".")):
        at -= 1
    return text[at:stop]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
