"""Conditions on metadata: what meets them, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.conditions import OPERATORS, compiled, faults, fields_of
from ragbench.errors import DataError

ROW: dict[str, Any] = {
    "site": "成都",
    "team": "Ops",
    "year": 2024,
    "share": 0.5,
    "draft": False,
    "since": "2024-03-01",
    "tags": ["年假", "leave", 7],
    "none": None,
    "nested": {"a": 1},
    "empty": [],
}


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ({}, True),
        ({"site": "成都"}, True),
        ({"site": "成都 "}, False),
        ({"team": "ops"}, False),
        ({"site": "成都", "year": 2023}, False),
        ({"year": 2024.0}, True),
        ({"year": "2024"}, False),
        ({"year": True}, False),
        ({"draft": False}, True),
        ({"draft": 0}, False),
        ({"none": None}, True),
        ({"site": None}, False),
        ({"absent": None}, False),
        ({"absent": {"$ne": 1}}, False),
        ({"absent": {"$nin": [1]}}, False),
        ({"site": {"$eq": "成都"}}, True),
        ({"site": {"$ne": "苏州"}}, True),
        ({"site": {"$ne": "成都"}}, False),
        ({"site": {"$in": ["苏州", "成都"]}}, True),
        ({"site": {"$in": []}}, False),
        ({"site": {"$nin": []}}, True),
        ({"site": {"$nin": ["成都"]}}, False),
        ({"year": {"$in": [2024.0]}}, True),
        ({"year": {"$gte": 2024, "$lt": 2025}}, True),
        ({"year": {"$gt": 2024}}, False),
        ({"share": {"$gt": 0, "$lte": 0.5}}, True),
        ({"since": {"$gte": "2024-01-01", "$lt": "2024-04"}}, True),
        ({"since": {"$gte": 2023}}, False),
        ({"year": {"$gt": "2023"}}, False),
        ({"draft": {"$lt": 1}}, False),
        ({"tags": "年假"}, True),
        ({"tags": 7}, True),
        ({"tags": "vacation"}, False),
        ({"tags": {"$in": ["leave", "x"]}}, True),
        ({"tags": {"$ne": "leave"}}, False),
        ({"tags": {"$nin": ["x", "y"]}}, True),
        ({"tags": {"$gt": 6}}, True),
        ({"empty": {"$ne": 1}}, True),
        ({"empty": None}, False),
        ({"nested": "a"}, False),
        ({"nested": {"$ne": "a"}}, True),
        ({"$or": [{"site": "苏州"}, {"year": 2024}]}, True),
        ({"$or": [{"site": "苏州"}, {"year": 2020}]}, False),
        ({"$and": [{"site": "成都"}, {"$or": [{"year": 1}, {"team": "Ops"}]}], "share": 0.5}, True),
    ],
)
def test_conditions(condition: dict[str, Any], met: bool) -> None:
    assert faults(condition) == []
    assert compiled(condition)(ROW) is met


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"$not": []}, r"operator \$not: expected \$and or \$or or a field at this place"),
        ({"$in": [1]}, r"operator \$in: .*write {field: {\$in: …}}"),
        ({"year": {"$about": 1}}, r"operator \$about of field year: expected one of \$eq, \$ne"),
        ({"year": {"gte": 1}}, r"operator gte of field year"),
        ({"year": {}}, "field year: expected a value or operators, found an empty mapping"),
        ({"year": [1, 2]}, r"field year: expected a value, found \[1, 2\]; for one of several write {\$in: \[…\]}"),
        ({"year": {"$in": 3}}, r"\$in of field year: expected a list of values, found 3"),
        ({"year": {"$in": [[1]]}}, r"\$in of field year"),
        ({"year": {"$gt": None}}, r"\$gt of field year: expected a number or a text, found None"),
        ({"year": {"$lt": True}}, r"\$lt of field year"),
        ({"year": {"$gte": float("nan")}}, r"\$gte of field year"),
        ({"year": {"$eq": {"a": 1}}}, r"\$eq of field year: expected a value"),
        ({"$and": []}, r"\$and: expected a list of conditions, found \[\]"),
        ({"$or": {"year": 1}}, r"\$or: expected a list of conditions"),
        ({"$or": [3]}, "3: expected a mapping of fields to values"),
        ({"$or": [{"$and": [{"year": {"$x": 1}}]}]}, r"operator \$x of field year"),
        ({3: 4}, "field 3: expected a text"),
        ([], r"\[\]: expected a mapping"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(condition: Any, words: str) -> None:
    with pytest.raises(DataError, match=f"^filter {words}") as caught:
        compiled(condition)
    assert "\n" not in str(caught.value)
    assert len(faults(condition)) == 1


def test_all_faults_are_found_at_once() -> None:
    assert len(faults({"a": {"$x": 1, "$gt": None}, "$or": [{"b": []}, 3]})) == 4


def test_a_condition_nested_without_end_is_refused() -> None:
    condition: dict[str, Any] = {"a": 1}
    for _ in range(5000):
        condition = {"$and": [condition]}
    assert faults(condition) == ["nested more than 20 deep"]


def test_fields() -> None:
    assert fields_of({"a": 1, "$or": [{"b": {"$gt": 1}}, {"$and": [{"c": 2}, {"a": 3}]}]}) == {"a", "b", "c"}


values = st.sampled_from([0, 1, 2, 2.0, "a", "b", "年", True, False, None])
rows = st.dictionaries(st.sampled_from("xyz"), values | st.lists(values, max_size=2), max_size=3)


@given(rows, st.sampled_from("xyz"), values)
def test_operators_are_of_one_piece(row: dict[str, Any], field: str, value: Any) -> None:
    def met(operator: str, want: Any) -> bool:
        return compiled({field: {operator: want}})(row)

    there = field in row
    assert met("$eq", value) is compiled({field: value})(row)
    assert met("$eq", value) is met("$in", [value])
    assert met("$ne", value) is met("$nin", [value]) is (there and not met("$eq", value))
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        assert met("$gte", value) is (met("$gt", value) or met("$eq", value))
        assert met("$lte", value) is (met("$lt", value) or met("$eq", value))
    assert set(OPERATORS) >= {"$gt", "$lt"}


conditions = st.recursive(
    st.dictionaries(
        st.sampled_from("xyz"),
        values | st.dictionaries(st.sampled_from(["$eq", "$ne"]), values, min_size=1),
        min_size=1,
        max_size=2,
    ),
    lambda inner: st.builds(
        lambda name, parts: {name: parts}, st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=6,
)


@given(conditions, rows)
def test_joints_are_all_and_any(condition: dict[str, Any], row: dict[str, Any]) -> None:
    def by_loop(part: dict[str, Any]) -> bool:
        return all(
            (all if name == "$and" else any)(map(by_loop, want))
            if name in ("$and", "$or")
            else compiled({name: want})(row)
            for name, want in part.items()
        )

    assert compiled(condition)(row) is by_loop(condition)
