"""Records to plain data and back, from their own annotations."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]


def to_row(record: Any) -> Any:
    """Plain data of a record: fields by name, tuples as lists, enums as values; fields at None or empty stay."""
    if is_dataclass(record) and not isinstance(record, type):
        return {f.name: to_row(getattr(record, f.name)) for f in fields(record)}
    if isinstance(record, Enum):
        return record.value
    if isinstance(record, Mapping):
        return {key: to_row(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [to_row(item) for item in record]
    return record


def from_row(kind: type[T], row: Any) -> T:
    """The record of class `kind` that `to_row` made `row` from.

    Unknown fields are ignored, missing ones take their default.
    """
    read = _reader(kind)
    result: T = row if read is None else read(row)
    return result


def _reader(kind: Any) -> Reader | None:
    """What makes a value of an annotation out of plain data; None where the plain data is the value."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        inner = _reader(next(part for part in get_args(kind) if part is not type(None)))
        return None if inner is None else lambda row: None if row is None else inner(row)
    if origin is tuple:
        return _tuple_reader(get_args(kind))
    if isinstance(kind, type):
        if is_dataclass(kind):
            return partial(_record, kind)
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return lambda row: None if row is None else kind(*row)
        if issubclass(kind, Enum):
            return lambda row: None if row is None else kind(row)
    return None


@cache
def _field_readers(kind: type) -> dict[str, Reader | None]:
    return {name: _reader(hint) for name, hint in get_type_hints(kind).items()}


def _record(kind: Any, row: Any) -> Any:
    if row is None:
        return None
    readers = _field_readers(kind)
    known = {name: (readers[name], value) for name, value in row.items() if name in readers}
    return kind(**{name: value if read is None else read(value) for name, (read, value) in known.items()})


def _tuple_reader(args: tuple[Any, ...]) -> Reader:
    if len(args) == 2 and args[1] is Ellipsis:
        each = _reader(args[0])
        return tuple if each is None else lambda row: tuple(map(each, row))
    readers = [_reader(part) or _itself for part in args]
    return lambda row: tuple(read(item) for read, item in zip(readers, row, strict=True))


def _itself(value: Any) -> Any:
    return value
