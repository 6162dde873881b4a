"""Conditions on metadata: what a filter may say, what is wrong with one, and what meets it.

A condition is a mapping; all its entries are required. `{field: value}` asks for equality, `{field: {operator: value}}`
for what the operator says, `{"$and": […]}` and `{"$or": […]}` join conditions. Operators: `$eq $ne $in $nin $gt $gte
$lt $lte`; several of one field are all required.

- Numbers are compared as numbers (`2024` is `2024.0`), texts as texts (so ISO dates are in order), true and false only
  with each other. Values of different kinds are unequal, and neither lies before the other.
- What lacks the field meets no condition on it, `$ne` and `$nin` included.
- A field that holds a list meets a condition when one of its values does; `$ne` and `$nin`, when none is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ragbench.errors import DataError

Meets = Callable[[Mapping[str, Any]], bool]
JOINTS = ("$and", "$or")
OPERATORS = ("$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte")
_LISTS, _NEGATIVE = ("$in", "$nin"), ("$ne", "$nin")
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda have, want: bool(have > want),
    "$gte": lambda have, want: bool(have >= want),
    "$lt": lambda have, want: bool(have < want),
    "$lte": lambda have, want: bool(have <= want),
}
_DEEPEST = 20


def faults(condition: Any) -> list[str]:
    """Everything that is wrong with a condition, one line each; empty: nothing is."""
    return list(_faults(condition, 0))


def compiled(condition: Mapping[str, Any]) -> Meets:
    """The test of a condition. Raises DataError naming its first fault."""
    for fault in _faults(condition, 0):
        raise DataError(f"filter {fault}")
    return _compiled(condition)


def fields_of(condition: Mapping[str, Any]) -> set[str]:
    """The fields that a sound condition reads."""
    found: set[str] = set()
    for name, want in condition.items():
        found |= {name} if name not in JOINTS else {field for part in want for field in fields_of(part)}
    return found


def _faults(condition: Any, depth: int) -> Iterator[str]:
    if not isinstance(condition, Mapping):
        yield f"{_shown(condition)}: expected a mapping of fields to values"
    elif depth > _DEEPEST:
        yield f"nested more than {_DEEPEST} deep"
    else:
        for name, want in condition.items():
            yield from _faults_of(name, want, depth)


def _faults_of(name: Any, want: Any, depth: int) -> Iterator[str]:
    if not isinstance(name, str):
        yield f"field {name!r}: expected a text"
    elif name in JOINTS:
        if not isinstance(want, list | tuple) or not want:
            yield f"{name}: expected a list of conditions, found {_shown(want)}"
        else:
            for part in want:
                yield from _faults(part, depth + 1)
    elif name.startswith("$"):
        hint = f"; write {{field: {{{name}: …}}}}" if name in OPERATORS else ""
        yield f"operator {name}: expected {' or '.join(JOINTS)} or a field at this place{hint}"
    elif isinstance(want, Mapping):
        if not want:
            yield f"field {name}: expected a value or operators, found an empty mapping"
        for operator, value in want.items():
            yield from _faults_of_operator(name, operator, value)
    elif not _is_plain(want):
        yield f"field {name}: expected a value, found {_shown(want)}; for one of several write {{$in: […]}}"


def _faults_of_operator(name: str, operator: Any, value: Any) -> Iterator[str]:
    if operator not in OPERATORS:
        yield f"operator {operator} of field {name}: expected one of {', '.join(OPERATORS)}"
    elif operator in _LISTS:
        if not isinstance(value, list | tuple) or not all(map(_is_plain, value)):
            yield f"{operator} of field {name}: expected a list of values, found {_shown(value)}"
    elif operator in _ORDERS:
        if _kind(value) not in ("number", "text"):
            yield f"{operator} of field {name}: expected a number or a text, found {_shown(value)}"
    elif not _is_plain(value):
        yield f"{operator} of field {name}: expected a value, found {_shown(value)}"


def _compiled(condition: Mapping[str, Any]) -> Meets:
    tests = [_test(name, want) for name, want in condition.items()]
    if len(tests) == 1:
        return tests[0]
    return lambda metadata: all(test(metadata) for test in tests)


def _test(name: str, want: Any) -> Meets:
    if name in JOINTS:
        parts = [_compiled(part) for part in want]
        joined = all if name == "$and" else any
        return lambda metadata: joined(part(metadata) for part in parts)
    tests = [_of_values(*pair) for pair in (want.items() if isinstance(want, Mapping) else [("$eq", want)])]

    def test(metadata: Mapping[str, Any]) -> bool:
        if name not in metadata:
            return False
        have = metadata[name]
        values = have if isinstance(have, list | tuple) else (have,)
        return all(one(values) for one in tests)

    return test


def _of_values(operator: str, want: Any) -> Callable[[Sequence[Any]], bool]:
    """Whether the values of a field meet one operator."""
    if operator in _ORDERS:
        in_order, kind = _ORDERS[operator], _kind(want)
        return lambda values: any(_kind(have) == kind and in_order(have, want) for have in values)
    wanted = {_key(one) for one in (want if operator in _LISTS else [want])}
    if operator in _NEGATIVE:
        return lambda values: all(_key(have) not in wanted for have in values)
    return lambda values: any(_key(have) in wanted for have in values)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number" if value == value else ""  # NaN is in no order
    return "text" if isinstance(value, str) else "nothing" if value is None else ""


def _key(value: Any) -> tuple[str, Any]:
    """Equal for equal values; a value of no kind of ours equals none that a condition can name."""
    kind = _kind(value)
    return (kind, value if kind else None)


def _is_plain(value: Any) -> bool:
    return _kind(value) != ""


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
