"""Import of a folder of documents with a test set that RAGAS made: `user_input`, `reference_contexts`, `reference`."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from ragbench.errors import DataError
from ragbench.eval_set.columns import mapped_columns
from ragbench.eval_set.draft import Draft, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.question_table import Cells, split_sources, table_draft
from ragbench.eval_set.source_file import read_json_lines, read_utf8

_WHAT = "a folder of documents and the test set of RAGAS as .jsonl, .json or .csv"
_NO_GOLD = ("retrieved_contexts", "response", "retrieved_context_ids", "reference_context_ids")
_OLD = {"contexts": "reference_contexts", "evolution_type": "synthesizer_name"}
"""Columns of RAGAS 0.1 by those of today; there `contexts` is what the question was made from."""
_HOP = re.compile(r"^<\d+-hop>\s*")
_MAX_CELL = 10_000_000


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Documents of the folder and questions of the test set.

    All reference contexts of a row are needed, each looked for in the documents; the mark `<1-hop>` before one is not
    its text. What a system retrieved and answered is no gold and is left out. The synthesizer tells `multi_hop` from
    `lookup`, and stays in the metadata with the other columns.
    """
    folder, table = split_sources(request.sources, _WHAT)
    return table_draft(folder, table, _rows(table, request.columns, ledger), request, ledger)


def _rows(table: Path, given: Mapping[str, str], ledger: Ledger) -> Iterator[tuple[str, Cells]]:
    rows = []
    for label, value in _samples(table):
        if not isinstance(value, dict):
            ledger.add("rejected", "the sample is no object", label)
        elif isinstance(value.get("user_input"), list):
            ledger.add("rejected", "a conversation: import it with its last turn as the question", label)
        else:
            old = "reference_contexts" not in value
            rows.append((label, {_OLD.get(name, name) if old else name: cell for name, cell in value.items()}))
    if not rows:
        return
    names = list(dict.fromkeys(name for _, row in rows for name in row if name and name not in _NO_GOLD))
    mapping = mapped_columns(names, given, table.name)
    left = sum(any(row.get(name) for name in _NO_GOLD) for _, row in rows)
    if left:
        ledger.add("noted", "what a system retrieved or answered is left out", f"{table.name}: {left} rows")
    for label, row in rows:
        cells: dict[str, Any] = {field: row.get(column) for field, column in mapping.items()}
        cells["quote"] = _contexts(cells.get("quote"))
        if not cells.get("category") and "multi_hop" in str(row.get("synthesizer_name")):
            cells["category"] = "multi_hop"
        metadata = {name: row[name] for name in names if name not in mapping.values() and row.get(name)}
        yield label, {**cells, "metadata": metadata}


def _samples(table: Path) -> Iterator[tuple[str, Any]]:
    """The samples and their labels; a line that is no JSON is an exception in its place."""
    if table.suffix.lower() == ".csv":
        csv.field_size_limit(_MAX_CELL)
        try:
            rows = list(csv.DictReader(io.StringIO(read_utf8(table, _WHAT), newline=""), strict=True))
        except csv.Error as error:
            raise DataError(str(table), expected="CSV", found=str(error)) from error
        yield from ((f"row {number}", row) for number, row in enumerate(rows, 1))
    elif table.suffix.lower() == ".json":
        try:
            found = orjson.loads(read_utf8(table, _WHAT))
        except orjson.JSONDecodeError as error:
            raise DataError(str(table), expected="a JSON list of samples", found=str(error)) from error
        if not isinstance(found, list):
            raise DataError(str(table), expected="a JSON list of samples", found=type(found).__name__)
        yield from ((f"sample {number}", row) for number, row in enumerate(found, 1))
    else:
        for label, value in read_json_lines(table, read_utf8(table, _WHAT)):
            yield label.removeprefix(f"{table.name} "), value


def _contexts(cell: Any) -> Any:
    """The texts of a cell: a list, or a list written out by Python, as pandas writes it to CSV."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = ast.literal_eval(cell.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return [cell]
    texts = [cell] if isinstance(cell, str) and cell.strip() else cell
    if not isinstance(texts, list):
        return texts
    return [_HOP.sub("", text) if isinstance(text, str) else text for text in texts]
