"""Import of a folder of documents with a CSV (or TSV) of questions and quotes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ragbench.errors import DataError
from ragbench.eval_set.columns import mapped_columns
from ragbench.eval_set.draft import Draft, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.question_table import Cells, split_sources, table_draft
from ragbench.eval_set.source_file import read_any_encoding

_WHAT = "a folder of documents and a CSV file with a header"
_MAX_CELL = 10_000_000


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Documents of the folder and questions of the table.

    The delimiter is the one of comma, semicolon and tab that the header holds most of. Columns are known by their
    English or Chinese names (see `columns.NAMES`) or as `request.columns` says; the others become metadata.
    """
    folder, table = split_sources(request.sources, _WHAT)
    text, encoding = read_any_encoding(table, _WHAT)
    if encoding not in ("utf-8", "utf-8-sig"):
        ledger.add("noted", f"read as {encoding}", table.name)
    return table_draft(folder, table, _rows(table, text, request.columns, ledger), request, ledger)


def _rows(table: Path, text: str, given: Mapping[str, str], ledger: Ledger) -> Iterator[tuple[str, Cells]]:
    csv.field_size_limit(_MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        double = sorted({name for name in header if header.count(name) > 1 and name})
        if double:
            raise DataError(str(table), expected="each column once", found=f"{', '.join(double)} twice")
        mapping = mapped_columns([name for name in header if name], given, table.name)
        for number, values in enumerate(reader, 1):
            if any(value.strip() for value in values):
                label = f"row {number}"
                if len(values) > len(header):
                    ledger.add("rejected", f"the row has more cells than the header ({len(header)})", label)
                    continue
                yield label, _cells(header, values, mapping)
    except csv.Error as error:
        raise DataError(str(table), expected="CSV", found=f"{error} in line {reader.line_num}") from error


def _cells(header: Sequence[str], values: Sequence[str], mapping: Mapping[str, str]) -> Cells:
    row = dict(zip(header, values))
    extra = {name: value for name, value in row.items() if name and name not in mapping.values() and value.strip()}
    return {**{field: row.get(column, "") for field, column in mapping.items()}, "metadata": extra}


def _delimiter(text: str) -> str:
    header = text.split("\n", 1)[0]
    return max(",;\t", key=header.count)
