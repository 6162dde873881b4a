"""The outline of source code as units with an end."""

from __future__ import annotations

from typing import NamedTuple

from ragbench.records.document import Document, Heading


class Unit(NamedTuple):
    """`[start, end)`: a definition with its members (`named`), or text outside of all definitions.

    `following` is the number of the first unit behind it that is none of its members.
    """

    start: int
    end: int
    level: int
    named: bool
    following: int


def units(document: Document) -> list[Unit]:
    """The units in order of start; members follow the class they are in. A document without outline is one unit.

    A unit ends where the next one of its level, or of one above, begins; untitled headings begin text outside.
    """
    outline = list(document.outline)
    if not outline or outline[0].start > 0:
        outline.insert(0, Heading(0, 1, ""))
    following = [len(outline)] * len(outline)
    opened: list[int] = []
    for number, heading in enumerate(outline):
        while opened and outline[opened[-1]].level >= heading.level:
            following[opened.pop()] = number
        opened.append(number)
    starts = [*(heading.start for heading in outline), len(document.text)]
    return [
        Unit(heading.start, starts[after], heading.level, bool(heading.title), after)
        for heading, after in zip(outline, following)
    ]
