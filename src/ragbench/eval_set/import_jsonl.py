"""Import of a folder of documents with JSON Lines of questions and quotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ragbench.eval_set.columns import mapped_columns
from ragbench.eval_set.draft import Draft, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.question_table import Cells, split_sources, table_draft
from ragbench.eval_set.source_file import read_json_lines, read_utf8

_WHAT = "a folder of documents and a JSON Lines file, one object a line"


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Documents of the folder and questions of the file.

    Fields are known by their English or Chinese names or as `request.columns` says; the others become metadata.
    Quotes and documents may be lists; a list inside the list of quotes is alternatives.
    """
    folder, table = split_sources(request.sources, _WHAT)
    return table_draft(folder, table, _rows(table, request.columns, ledger), request, ledger)


def _rows(table: Path, given: Mapping[str, str], ledger: Ledger) -> Iterator[tuple[str, Cells]]:
    found = []
    for label, value in read_json_lines(table, read_utf8(table, _WHAT)):
        if isinstance(value, Exception):
            ledger.add("rejected", "the line is no JSON", label)
        elif not isinstance(value, dict):
            ledger.add("rejected", "the line is no JSON object", label)
        else:
            found.append((label.removeprefix(f"{table.name} "), value))
    if not found:
        return
    names = list(dict.fromkeys(name for _, value in found for name in value if name != "metadata"))
    mapping = mapped_columns(names, given, table.name)
    for label, value in found:
        own = value.get("metadata")
        extra = {name: value[name] for name in names if name in value and name not in mapping.values()}
        metadata = {**extra, **(own if isinstance(own, dict) else {})}
        yield label, {**{field: value.get(column) for field, column in mapping.items()}, "metadata": metadata}
