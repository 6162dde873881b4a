"""Whether the first row of a table names its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.corpus.table_text import cell_kind

_YEAR = re.compile(r"(?:18|19|20|21)\d\d")
_LOOKED_AT = 100
# Of the cells under a year or a date, how many may be one by chance.
_ALIKE = 0.2
_LEAST_COUNTED = 3


def header(rows: Sequence[list[str]]) -> tuple[list[str], Sequence[list[str]], list[str]]:
    """Names of the columns, the rows under them, and a warning where that is a guess.

    Names are texts, all different; empty ones at the end go. Numbers are names in three cases, each below a first
    column with a text for a name: years (1800 to 2199), dates, and three or more that count 1, 2, 3 or 0, 1, 2 – unless
    the rows under them hold more of the same kind.
    """
    names = [" ".join(cell.split()) for cell in rows[0]]
    while len(names) > 1 and not names[-1]:
        names.pop()
    numeric = [place for place, name in enumerate(names) if cell_kind(name) != "text"]
    body = rows[1:]
    if body and all(names) and len(set(names)) == len(names) and _may_name(names, numeric, body):
        told = f"the first row names the columns, though {len(numeric)} of its {len(names)} cells are numbers or dates"
        return names, body, [f"header guessed: {told}"] if numeric else []
    numbered = [f"column {number}" for number in range(1, max(map(len, rows)) + 1)]
    return numbered, rows, ["header guessed: the first row names no columns, they are numbered"]


def _may_name(names: Sequence[str], numeric: Sequence[int], body: Sequence[list[str]]) -> bool:
    kinds = {_kind(names[place]) for place in numeric}
    if not kinds:
        return True
    if 0 in numeric or len(kinds) > 1:
        return False
    below = [[row[place].strip() for place in numeric if place < len(row)] for row in body[:_LOOKED_AT]]
    kind = kinds.pop()
    if kind == "integer":
        counted = [names[place] for place in numeric]
        return _counts(counted) and counted not in below
    cells = [cell for row in below for cell in row]
    return kind in ("year", "date") and sum(_kind(cell) == kind for cell in cells) <= _ALIKE * len(cells)


def _counts(names: Sequence[str]) -> bool:
    start = int(names[0]) if names[0] in ("0", "1") else -1
    return len(names) >= _LEAST_COUNTED and list(names) == [str(start + place) for place in range(len(names))]


def _kind(cell: str) -> str:
    return "year" if _YEAR.fullmatch(cell) else cell_kind(cell)
