"""Rows of a table as lines `column: value; column: value`, under a line that describes the columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

# Rows beyond these are left out, with a warning: a table is read as text, not as a database.
MAX_ROWS = 200_000
_INTEGER = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+|[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?|[+-]?\d{1,3}(?:,\d{3})+\.\d+%?")
_DATE = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[T ]\d{1,2}:\d{2}.*)?|\d{4}年\d{1,2}月\d{1,2}日")


def row_line(columns: Sequence[str], values: Sequence[str]) -> str:
    """`name: Ada; born: 1815`; empty cells are left out, cells beyond the columns are `column 7: …`."""
    cells = zip_longest(columns, values, fillvalue="")
    return "; ".join(
        f"{name or f'column {number}'}: {shown}"
        for number, (name, value) in enumerate(cells, 1)
        if (shown := " ".join(value.split()))
    )


def schema_line(name: str, columns: Sequence[str], kinds: Sequence[str], n_rows: int) -> str:
    """`Table staff: 3 rows; columns: name (text), born (integer)`; the name may be empty."""
    head = f"Table {name}: {n_rows} rows" if name else f"Table: {n_rows} rows"
    told = ", ".join(f"{column} ({kind})" if kind else column for column, kind in zip(columns, kinds))
    return f"{head.replace(' 1 rows', ' 1 row')}; columns: {told}"


def column_kinds(rows: Sequence[Sequence[str]], n_columns: int) -> list[str]:
    """`integer`, `number`, `date` or `text` for each column, by all its cells; an empty column is `empty`."""
    return [_kind(row[column] for row in rows if column < len(row)) for column in range(n_columns)]


def cell_kind(cell: str) -> str:
    """`integer`, `number`, `date` or `text`."""
    for kind, pattern in (("integer", _INTEGER), ("number", _NUMBER), ("date", _DATE)):
        if pattern.fullmatch(cell):
            return kind
    return "text"


def _kind(cells: Iterator[str]) -> str:
    found = {cell_kind(cell.strip()) for cell in cells if cell.strip()}
    if not found:
        return "empty"
    return found.pop() if len(found) == 1 else "number" if found == {"integer", "number"} else "text"
