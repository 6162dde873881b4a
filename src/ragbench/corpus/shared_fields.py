"""Fields that say something of a whole file of records: those in which all its records agree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

_LONGEST, _MOST = 200, 100
_RESERVED = frozenset(("encoding", "warnings"))
_HALVES = re.compile("[\ud800-\udfff]")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,15}")


class SharedFields:
    """Takes records one after the other; `found` are the fields that every one of them has with the same value.

    Values are texts of at most 200 characters, numbers, true or false, or lists of them; of at most 100 fields, the
    first ones. A record that is no object shares nothing with the others.
    """

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self._n = 0

    def add(self, record: Any) -> None:
        """Take one record."""
        fields = record if isinstance(record, Mapping) else {}
        if not self._n:
            plain = ((name, _bare(value)) for name, value in fields.items() if _is_plain(name) and _is_plain(value))
            self.found = dict(list(plain)[:_MOST])
        elif self.found:
            self.found = {name: value for name, value in self.found.items() if _same(_bare(fields.get(name)), value)}
        self._n += 1


def shared_fields(records: Iterable[Any]) -> dict[str, Any]:
    """What `SharedFields` finds of these records."""
    shared = SharedFields()
    for record in records:
        shared.add(record)
    return shared.found


def with_fields(metadata: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """What the loader says of a file and the file's own fields; one of a loader's name is called `field_…`."""
    ours: Collection[str] = _RESERVED | metadata.keys()
    return {f"field_{name}" if name in ours else name: value for name, value in fields.items()} | dict(metadata)


def constant_columns(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The columns of a table in which all rows have the same cell. Numbers are read as numbers, but for those that
    begin with a zero: they are codes."""
    first = [cell.strip() for cell in rows[0][: len(columns)]] if rows else []
    plain = [(place, cell) for place, cell in enumerate(first) if _is_plain(cell)][:_MOST]
    return {
        columns[place]: _number(cell)
        for place, cell in plain
        if all(place < len(row) and row[place].strip() == cell for row in rows)
    }


def _number(cell: str) -> str | int | float:
    if _INTEGER.fullmatch(cell):
        return int(cell)
    return float(cell) if _DECIMAL.fullmatch(cell) else cell


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= _MOST and all(not isinstance(one, list) and _is_plain(one) for one in value)
    if isinstance(value, str):
        return bool(value.strip()) and len(value) <= _LONGEST and not _HALVES.search(value)
    if isinstance(value, bool):
        return True
    return isinstance(value, int | float) and isfinite(value) and abs(value) < 2**53


def _bare(value: Any) -> Any:
    """The value without how its numbers were spelled."""
    if isinstance(value, float):
        return float(value)
    return [_bare(one) for one in value] if isinstance(value, list) else value


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other
