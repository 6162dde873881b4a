"""Units that are not cut (clauses, question–answer pairs), the headings above them, and the text between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.length import Ruler
from ragbench.splitter.levels import NEVER, cut_levels
from ragbench.splitter.packing import Limits, pack
from ragbench.splitter.trim import drop_blanks

UNIT_RANK = 99
"""Rank of a unit that is no heading: it stands below every heading."""

_NOTHING = re.compile(r"[\s=*_~-]*+")
_HEADING_RANKS = range(1, 7)


class Mark(NamedTuple):
    """The line `[start, end)` that opens a unit or is a heading; of two headings the one of lower rank stands above.

    A unit that is a Markdown heading has that heading's level for its rank, another one `UNIT_RANK`.
    """

    start: int
    end: int
    rank: int
    unit: bool


class Section(NamedTuple):
    """`[start, end)`: one unit with the headings above it, or text outside the units."""

    start: int
    end: int
    unit: bool


def check_longest(name: str, value: object) -> None:
    """Check the longest length of a unit that stays whole; None is any.

    Raises:
        ConfigError: neither None nor a whole number of at least 1.
    """
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise ConfigError(
            f"pipeline.splitter.{name}", expected="a whole number of at least 1, or null", found=repr(value)
        )


def heading_marks(document: Document) -> dict[int, Mark]:
    """The headings of the outline by offset."""
    return {
        heading.start: Mark(heading.start, line_end(document.text, heading.start), heading.level, False)
        for heading in document.outline
    }


def line_end(text: str, start: int) -> int:
    """Where the line that holds `start` ends."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def sections(text: str, marks: Iterable[Mark]) -> list[Section]:
    """Sections that together are the text, in order; one of them all when there is no unit.

    A unit ends at the next unit or heading; one that is a heading itself does not end at headings of higher rank. The
    headings directly above a unit, each above the next, belong to it; a heading with text of its own is text outside.
    Lines of signs only (`---`) belong to the section before them.
    """
    borders = _borders(sorted(marks))
    if not any(mark.unit for mark in borders):
        return [Section(0, len(text), False)]
    ends = [*(mark.start for mark in borders[1:]), len(text)]
    found: list[Section] = []
    position = 0
    for index, mark in enumerate(borders):
        if not mark.unit:
            continue
        start = borders[_first_heading(text, borders, index)].start
        _add(found, text, Section(position, start, False))
        found.append(Section(start, ends[index], True))
        position = ends[index]
    _add(found, text, Section(position, len(text), False))
    return found


def pack_sections(text: str, ruler: Ruler, limits: Limits, parts: Sequence[Section], longest: int | None) -> list[Span]:
    """One span a unit, what stands outside cut as by `recursive`, and so are units of more than `longest` units of
    length; a span longer than the size is flagged `atomic`."""
    levels = cut_levels(text)
    for start, end, unit in parts:
        if unit and (longest is None or ruler.length(start, drop_blanks(text, start, end)) <= longest):
            levels[start + 1 : end] = NEVER
    return pack(text, levels, ruler, limits, [0, *(part.start for part in parts[1:]), len(text)])


def _borders(marks: Sequence[Mark]) -> list[Mark]:
    """The marks without headings inside a unit."""
    kept: list[Mark] = []
    for mark in marks:
        above = kept[-1] if kept else None
        inside = above is not None and above.unit and above.rank in _HEADING_RANKS and mark.rank > above.rank
        if mark.unit or not inside:
            kept.append(mark)
    return kept


def _first_heading(text: str, borders: Sequence[Mark], unit: int) -> int:
    """The number of the first heading that belongs to a unit, or the unit's own."""
    first = unit
    while first > 0:
        above, below = borders[first - 1], borders[first]
        if above.unit or above.rank >= below.rank or _has_text(text, above.end, below.start):
            break
        first -= 1
    return first


def _has_text(text: str, start: int, end: int) -> bool:
    found = _NOTHING.match(text, start, end)
    return found is None or found.end() < end


def _add(found: list[Section], text: str, part: Section) -> None:
    if part.start == part.end:
        return
    if found and not _has_text(text, part.start, part.end):
        found[-1] = found[-1]._replace(end=part.end)
    else:
        found.append(part)
