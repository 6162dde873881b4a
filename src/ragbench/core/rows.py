"""Records to plain data and back, from their own annotations."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


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
    result: T = _decode(kind, row)
    return result


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _decode(kind: Any, row: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if row is None:
            return None
        return _decode(next(part for part in get_args(kind) if part is not type(None)), row)
    if origin is tuple:
        return _decode_tuple(get_args(kind), row)
    if origin is Literal or kind is Any or row is None:
        return row
    if isinstance(kind, type):
        if is_dataclass(kind):
            hints = _hints(kind)
            return kind(**{name: _decode(hints[name], value) for name, value in row.items() if name in hints})
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return kind(*row)
        if issubclass(kind, Enum):
            return kind(row)
    return row


def _decode_tuple(args: tuple[Any, ...], row: Any) -> tuple[Any, ...]:
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_decode(args[0], item) for item in row)
    return tuple(_decode(part, item) for part, item in zip(args, row, strict=True))
