"""Texts with labels, out of eval sets and tables."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragbench.errors import DataError
from ragbench.eval_set.source_file import json_lines, read_any_encoding, read_json_file
from ragbench.records.question import SPLITS

_WHAT = "an eval set's folder, or a .jsonl, .json or .csv file of texts with labels"
_TEXTS = ("question", "text", "query")
_MAX_CELL = 10_000_000
_UNSPLIT = "the row has no split"


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A text and its label; rows of one `group` are never parted by a fold. `split` is empty where rows have none."""

    text: str
    label: str
    group: str
    split: str = ""


@dataclass(frozen=True)
class Columns:
    """Which fields hold what: dots lead into objects (`metadata.type`). `text` None: question, text or query. `group`
    None: rows with the same text are a group."""

    label: str
    text: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class LabelledData:
    """The rows that can be used, how many could not, by reason, what the sources are called, and which split it is."""

    rows: tuple[LabelledRow, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    split: str = "all"

    def of_split(self, split: str | None) -> LabelledData:
        """The rows of a split (`all`: every row). None: dev where rows have splits, else every row.

        Raises DataError where there is none.
        """
        has_splits = any(row.split for row in self.rows)
        wanted = split or ("dev" if has_splits else "all")
        kept = self.rows if wanted == "all" else tuple(row for row in self.rows if row.split == wanted)
        if not kept:
            found = ", ".join(sorted({row.split for row in self.rows if row.split})) or "rows without a split"
            raise DataError(f"--split {wanted}", expected="rows of that split", found=found, hint="Use --split all.")
        return replace(self, rows=kept, split=wanted)


def read_labelled(paths: Sequence[Path], columns: Columns) -> LabelledData:
    """The rows of all sources, in their order.

    A label is a text, a number or yes/no; of a list the only item. Rows without text or label are left out and counted,
    and so are rows with several labels. Raises DataError for a file that cannot be read and where no row is left.
    """
    rows: list[LabelledRow] = []
    left_out: Counter[str] = Counter()
    for path in paths:
        for where, row in _rows(path):
            made = _labelled(row, columns, where)
            if isinstance(made, str):
                left_out[made] += 1
            else:
                rows.append(made)
    if not rows:
        reasons = "; ".join(f"{n} rows: {reason}" for reason, n in left_out.most_common(3)) or "no rows"
        thing = ", ".join(map(str, paths))
        raise DataError(thing, expected=f"rows with a text and {columns.label}", found=reasons)
    return LabelledData(tuple(rows), dict(left_out), tuple(map(_named, paths)))


def _named(path: Path) -> str:
    """`policy_zh/v1` of an eval set's folder, the name of a file."""
    place = path.resolve()
    return f"{place.parent.name}/{place.name}" if path.is_dir() else path.name


def _labelled(row: Any, columns: Columns, where: str) -> LabelledRow | str:
    """The row, or why it is left out."""
    if not isinstance(row, Mapping):
        return "the row is no object"
    names = [columns.text] if columns.text else _TEXTS
    text = next((value for name in names if isinstance(value := _value(row, name), str)), None)
    if text is None or not text.strip():
        return f"it has no text in {' or '.join(names)}"
    label = _value(row, columns.label)
    if isinstance(label, list):
        if len(label) > 1:
            return f"it has several labels in {columns.label}"
        label = label[0] if label else None
    if isinstance(label, bool):
        label = str(label).lower()
    if not isinstance(label, str | int) or not str(label).strip():
        return f"it has no label in {columns.label}"
    group = _value(row, columns.group) if columns.group else None
    if columns.group and not isinstance(group, str | int):
        return f"it has no group in {columns.group}"
    split = row.get("split")
    own = " ".join(text.casefold().split()) if group is None else str(group)
    return LabelledRow(text, str(label).strip(), own, split if split in SPLITS else "")


def _value(row: Mapping[str, Any], name: str) -> Any:
    """A field by its name, or by its path of names; None where there is none."""
    if name in row:
        return row[name]
    value: Any = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _rows(path: Path) -> Iterator[tuple[str, Any]]:
    if path.is_dir() and (path / "questions.jsonl").is_file():
        path = path / "questions.jsonl"
    kind = path.suffix.lower()
    if kind == ".csv":
        yield from _table(path)
    elif kind == ".json":
        value = read_json_file(path, _WHAT)
        if not isinstance(value, list):
            raise DataError(str(path), expected="a list of objects", found=type(value).__name__)
        yield from ((f"{path.name} item {number}", row) for number, row in enumerate(value, 1))
    elif kind in (".jsonl", ".gz"):
        for where, row in json_lines(path, _WHAT):
            if isinstance(row, Exception):
                raise DataError(f"{path}: {where}", expected="JSON", found=str(row)[:80])
            yield where, row
    else:
        found = "no such file" if not path.exists() else "a folder without" if path.is_dir() else f"{kind or 'no kind'}"
        raise DataError(str(path), expected=_WHAT, found=found)


def _table(path: Path) -> Iterator[tuple[str, Any]]:
    text, _ = read_any_encoding(path, _WHAT)
    csv.field_size_limit(_MAX_CELL)
    try:
        for number, row in enumerate(csv.DictReader(io.StringIO(text, newline=""), strict=True), 1):
            yield f"{path.name} row {number}", row
    except csv.Error as error:
        raise DataError(str(path), expected="a CSV file", found=str(error)) from error
