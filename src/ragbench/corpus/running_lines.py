"""Running headers, footers and page numbers of paged text."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

_EDGE = 3
_SHARE = 0.35
_ROUNDS = 4
_NUMBER = re.compile(r"\d+")


def without_running_lines(pages: Sequence[str]) -> list[str]:
    """The pages without lines that repeat at their edges.

    A line among the first or last three of a page is running when it stands so on at least 35 % of the pages and
    at least three (both of two), and is the same but for numbers; each number must be constant or count along
    with the pages, so that rows of figures at the top of a page are kept. Taller headers are peeled off in
    rounds. Pages that would all lose everything, and a single page, are returned unchanged.
    """
    lines = [page.split("\n") for page in pages]
    for _ in range(_ROUNDS):
        running = _running(lines)
        left = [
            [line for number, line in enumerate(rows) if (page, number) not in running]
            for page, rows in enumerate(lines)
        ]
        if not running or not any(line.strip() for rows in left for line in rows):
            break
        lines = left
    return ["\n".join(rows) for rows in lines]


def _running(lines: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
    """`(page, line)` of the running lines at the edges."""
    least = 2 if len(lines) == 2 else max(3, math.ceil(_SHARE * len(lines)))
    places: dict[tuple[bool, str], list[tuple[int, int]]] = defaultdict(list)
    for page, rows in enumerate(lines):
        shown = [number for number, line in enumerate(rows) if line.strip()]
        for top, edge in ((True, shown[:_EDGE]), (False, shown[-_EDGE:])):
            for number in edge:
                places[top, _shape(rows[number])].append((page, number))
    running: set[tuple[int, int]] = set()
    for found in places.values():
        if len({page for page, _ in found}) >= least and _counts_along([(page, lines[page][n]) for page, n in found]):
            running.update(found)
    return running


def _shape(line: str) -> str:
    return _NUMBER.sub("#", " ".join(line.split()))


def _counts_along(found: Sequence[tuple[int, str]]) -> bool:
    numbers = [[int(number[:9]) for number in _NUMBER.findall(line)] for _, line in found]
    pages = [page for page, _ in found]
    return all(
        len(set(column)) == 1 or len({value - page for value, page in zip(column, pages)}) == 1
        for column in zip(*numbers)
    )
