"""Tables of comma- or otherwise separated values."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ragbench.corpus.decode import recognised
from ragbench.corpus.limits import MAX_CELLS, check_number
from ragbench.corpus.parsed import Parsed, first_warnings, whole
from ragbench.corpus.shared_fields import constant_columns, with_fields
from ragbench.corpus.table_header import header
from ragbench.corpus.table_text import MAX_ROWS, column_kinds, row_line, schema_line
from ragbench.errors import DataError

DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_ROWS = 100
_SAMPLE = 200_000
_MAX_CELL = 10_000_000
_LONG_CELL = 50
_TOLD = re.compile(r"[ \t]*\"?sep=([^\n\"\w])\"?[ \t]*(?:\n|\Z)", re.IGNORECASE)


def load_csv(data: bytes) -> Parsed:
    """A line that describes the table, a blank line, and one line `column: value; …` a row; empty cells are left out.

    The delimiter is what a first line `sep=;` says (Excel's, which goes), else the one of `, tab ; |` that cuts
    most of the first hundred rows alike. The first row names the columns unless it holds a number, a date, an empty
    cell before its last name or a name twice (`table_header`); then they are `column 1`, `column 2`, …, with a
    warning. At most `MAX_ROWS` rows are read. Rows of another width are kept and told, and so is one where a quote
    was probably not closed: of several lines and with quotes in wrong places, or with a cell of more than fifty
    lines. A column in which all rows have the same cell becomes metadata.

    Raises:
        DataError: the rows cannot be told apart.
    """
    text, encoding, guessed = recognised(data)
    text = text.removeprefix("\ufeff").replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    told = _TOLD.match(text)
    text = text[told.end() :] if told else text
    delimiter = told[1] if told else _delimiter(text[:_SAMPLE])
    rows, unclosed, cut = _rows(text, delimiter)
    metadata: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter, "n_rows": 0}
    if not rows:
        return whole("", "csv", metadata=metadata)
    columns, body, doubt = header(rows)
    metadata["n_rows"] = len(body)
    metadata = with_fields(metadata, constant_columns(columns, body))
    warnings = doubt + _odd_rows(body, len(columns), len(rows) - len(body) + 1, unclosed)
    if cut:
        warnings = [f"only the first {MAX_ROWS} rows were read", *warnings]
    # Kinds are told from a sample: a column of a million numbers is not read twice.
    head = schema_line("", columns, column_kinds(body[:10_000], len(columns)), len(body))
    lines = [line for row in body if (line := row_line(columns, row))]
    return whole(
        "\n".join([head, "", *lines]), "csv", metadata=metadata, warnings=(*guessed, *first_warnings(warnings))
    )


def _delimiter(sample: str) -> str:
    """The delimiter with the largest share of rows of the commonest width above one; ties go to the wider table."""
    best, chosen = (0.0, 0), ","
    lines = sample.split("\n")[:_SAMPLE_ROWS]
    for delimiter in DELIMITERS:
        try:
            widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        except csv.Error:
            continue
        wide = [(count / widths.total(), width) for width, count in widths.items() if width > 1]
        if wide and max(wide) > best:
            best, chosen = max(wide), delimiter
    return chosen


class _Lines(Iterator[str]):
    """The lines of a table, of which those of the row that is being read are remembered."""

    def __init__(self, text: str, delimiter: str) -> None:
        self._lines = io.StringIO(text)
        self._delimiter = delimiter
        self._row: list[str] = []
        self._n_cells = 0

    def __next__(self) -> str:
        line = next(self._lines)
        self._row.append(line)
        self._n_cells += line.count(self._delimiter)
        check_number("CSV", self._n_cells, MAX_CELLS, "cells in a row")
        return line

    def take(self) -> list[str]:
        """The lines since the last call."""
        row, self._row, self._n_cells = self._row, [], 0
        return row


def _rows(text: str, delimiter: str) -> tuple[list[list[str]], set[int], bool]:
    """The rows that hold anything, the places of those with a quote that is not closed, and whether more were left."""
    before = csv.field_size_limit(_MAX_CELL)
    rows: list[list[str]] = []
    unclosed: set[int] = set()
    lines = _Lines(text, delimiter)
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            written = lines.take()
            if not any(cell.strip() for cell in row):
                continue
            if len(rows) > MAX_ROWS:
                return rows, unclosed, True
            if len(written) > 1 and not _is_well_quoted(written, delimiter):
                unclosed.add(len(rows))
            rows.append(row)
    except csv.Error as error:
        raise DataError("CSV", expected="rows of cells", found=f"{error} after row {len(rows)}") from error
    finally:
        csv.field_size_limit(before)
    return rows, unclosed, False


def _is_well_quoted(lines: Sequence[str], delimiter: str) -> bool:
    try:
        return len(list(csv.reader(lines, delimiter=delimiter, strict=True))) == 1
    except csv.Error:
        return False


def _odd_rows(body: Sequence[list[str]], width: int, first: int, unclosed: Collection[int]) -> list[str]:
    warnings = []
    for number, row in enumerate(body, first):
        if any(row[width:]):
            warnings.append(f"row {number} has {len(row)} cells, the table {width} columns")
        n_lines = max(cell.count("\n") for cell in row) + 1
        if number - 1 in unclosed or n_lines > _LONG_CELL + 1:
            warnings.append(f"row {number} holds a cell of {n_lines} lines: a quote may not be closed")
    return warnings
