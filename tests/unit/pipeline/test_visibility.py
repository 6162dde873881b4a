"""Filters, tenants and allowed documents."""

import numpy as np
import pytest

from ragbench.errors import ConfigError
from ragbench.pipeline.visibility import allowed_chunks, matches
from ragbench.records.document import Chunk
from ragbench.records.search import SearchRequest


def chunk(number, doc, **metadata):
    return Chunk(f"{doc}#{number}", number, doc, 0, 1, "x", "x", metadata=metadata)


CHUNKS = [
    chunk(0, "a.md", site="苏州", year=2022, tenant="t1"),
    chunk(1, "b.md", site="成都", year=2024, tenant="t2"),
    chunk(2, "c.md", site="成都"),
    chunk(3, "a.md", site="HQ", year=2024, tenant="t1"),
]


def seen(**request):
    found = allowed_chunks(SearchRequest("q", **request), CHUNKS)
    return None if found is None else found.tolist()


def test_no_restriction_is_none():
    assert seen() is None


@pytest.mark.parametrize(
    ("condition", "numbers"),
    [
        ({"site": "成都"}, [1, 2]),
        ({"site": "成都", "year": 2024}, [1]),
        ({"year": {"$gte": 2023}}, [1, 3]),
        ({"year": {"$gt": 2022, "$lt": 2025}}, [1, 3]),
        ({"site": {"$in": ["苏州", "HQ"]}}, [0, 3]),
        ({"site": {"$nin": ["成都"]}}, [0, 3]),
        ({"year": {"$ne": 2022}}, [1, 3]),
        ({"$or": [{"site": "苏州"}, {"year": 2024}]}, [0, 1, 3]),
        ({"$and": [{"year": 2024}, {"site": "HQ"}]}, [3]),
        ({"site": {"$gt": 5}}, []),
        ({"none": None}, []),
    ],
)
def test_conditions(condition, numbers):
    assert seen(filter=condition) == numbers


def test_a_tenant_sees_its_own_chunks_only():
    assert seen(tenant="t1") == [0, 3]
    assert seen(tenant="t3") == []


def test_allowed_documents():
    assert seen(allowed_docs=("a.md",)) == [0, 3]
    assert seen(allowed_docs=()) == []
    assert allowed_chunks(SearchRequest("q", allowed_docs=()), CHUNKS).dtype == np.int32


def test_all_restrictions_hold_together():
    assert seen(allowed_docs=("a.md", "b.md"), tenant="t1", filter={"year": 2024}) == [3]


@pytest.mark.parametrize("condition", [{"$not": []}, {"year": {"$about": 1}}])
def test_an_unknown_operator_is_an_error(condition):
    with pytest.raises(ConfigError, match="filter operator"):
        matches(condition, {"year": 1})
