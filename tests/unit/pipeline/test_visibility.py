"""What a request may see: tenants, allowed documents, filters, languages."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.conditions import compiled
from ragbench.core.tenants import may_see
from ragbench.errors import DataError
from ragbench.pipeline.visibility import EVERYTHING, Visibility
from ragbench.records.document import Chunk
from ragbench.records.search import SearchRequest
from ragbench.text.language import language_of

TEXTS = {"zh": "年假有十天", "en": "ten days of leave", "mixed": "年假 leave policy 十天"}


def chunk(number, doc, text="x", **metadata):
    return Chunk(f"{doc}#{number}", number, doc, 0, len(text), text, text, metadata=metadata)


CHUNKS = [
    chunk(0, "a.md", site="苏州", year=2022),
    chunk(1, "b.md", site="成都", year=2024),
    chunk(2, "c.md", site="成都"),
    chunk(3, "a.md", site="HQ", year=2024),
]
OWNED = [
    chunk(0, "a.md", tenant="t1", year=2024),
    chunk(1, "b.md", tenant="t2", year=2024),
    chunk(2, "c.md", year=2024),
    chunk(3, "d.md", tenant=["t1", "t2"]),
]
SPOKEN = [chunk(number, "a.md", text) for number, text in enumerate(TEXTS.values())]


def seen(chunks=CHUNKS, tenant=None, **request):
    found = Visibility(chunks).allowed(SearchRequest("q", tenant=tenant, **request))
    return None if found is None else found.tolist()


def test_no_restriction_is_none():
    assert seen() is None
    assert seen(filter={}) is None
    assert seen(chunks=[]) is None


@pytest.mark.parametrize(
    ("condition", "numbers"),
    [
        ({"site": "成都"}, [1, 2]),
        ({"site": "成都", "year": 2024}, [1]),
        ({"year": {"$gte": 2023}}, [1, 3]),
        ({"$or": [{"site": "苏州"}, {"year": 2024}]}, [0, 1, 3]),
        ({"site": {"$gt": 5}}, []),
        ({"none": None}, []),
    ],
)
def test_conditions(condition, numbers):
    assert seen(filter=condition) == numbers


def test_a_tenant_sees_its_own_chunks_only_and_who_has_no_name_those_of_nobody():
    assert seen(OWNED, tenant="t1") == [0, 3]
    assert seen(OWNED, tenant="t2") == [1, 3]
    assert seen(OWNED, tenant="t3") == []
    assert seen(OWNED) == [2]
    assert seen(CHUNKS, tenant="t1") == [], "a corpus without tenants belongs to no tenant"


def test_nothing_widens_what_a_tenant_sees():
    for condition in ({"tenant": "t2"}, {"tenant": {"$ne": "t1"}}, {"$or": [{"tenant": "t2"}, {"year": 2024}]}):
        assert set(seen(OWNED, tenant="t1", filter=condition)) <= {0, 3}
    assert seen(OWNED, tenant="t1", allowed_docs=("b.md", "c.md")) == []


def test_allowed_documents():
    assert seen(allowed_docs=("a.md",)) == [0, 3]
    assert seen(allowed_docs=()) == []
    assert Visibility(CHUNKS).allowed(SearchRequest("q", tenant=None, allowed_docs=())).dtype == np.int32
    assert seen(allowed_docs=("a.md", "b.md", "c.md")) is None


def test_all_restrictions_hold_together():
    assert seen(OWNED, allowed_docs=("a.md", "b.md"), tenant="t1", filter={"year": 2024}) == [0]


def test_the_language_of_a_chunk_is_a_field():
    assert seen(SPOKEN, filter={"chunk_language": "zh"}) == [0]
    assert seen(SPOKEN, filter={"chunk_language": {"$in": ["en", "mixed"]}}) == [1, 2]
    assert seen(SPOKEN, filter={"$or": [{"chunk_language": "en"}, {"site": "苏州"}]}) == [1]


@pytest.mark.parametrize("language", TEXTS)
def test_languages_restrict_where_there_are_chunks_of_them(language):
    others = [one for one in SPOKEN if one.text != TEXTS[language]]
    renumbered = [chunk(number, "a.md", one.text) for number, one in enumerate(others)]
    assert seen(SPOKEN, languages=(language,)) == [list(TEXTS).index(language)]
    assert seen(renumbered, languages=(language,)) is None
    assert seen(SPOKEN, languages=tuple(TEXTS)) is None


def test_languages_look_at_what_may_be_seen_at_all():
    chunks = [chunk(0, "a.md", TEXTS["zh"], tenant="t1"), chunk(1, "b.md", TEXTS["en"], tenant="t2")]
    assert seen(chunks, tenant="t2", languages=("zh",)) == [1]
    assert seen(chunks, tenant="t1", languages=("zh",)) == [0]


def test_a_filter_that_cannot_be_read_is_an_error():
    with pytest.raises(DataError, match=r"filter operator \$about of field year"):
        seen(filter={"year": {"$about": 1}})


def test_requests_share_a_key_when_they_see_the_same_chunks():
    visibility = Visibility(OWNED)

    def key(**request):
        return visibility.of(SearchRequest("q", **request)).key

    assert (
        key(tenant="t1") == key(tenant="t1", filter={"tenant": "t1"}) == key(tenant="t1", allowed_docs=("a.md", "d.md"))
    )
    assert len({key(tenant=one) for one in ("t1", "t2", "t3", None)}) == 4
    assert Visibility(CHUNKS).of(SearchRequest("q", tenant=None, filter={"site": {"$ne": "x"}})) is EVERYTHING


def test_what_was_left_is_kept_within_bounds(monkeypatch):
    monkeypatch.setattr("ragbench.pipeline.visibility._KEPT_BYTES", 450)
    visibility = Visibility(CHUNKS)
    first = visibility.of(SearchRequest("q", tenant=None, filter={"year": 2022}))
    assert visibility.of(SearchRequest("other", tenant=None, filter={"year": 2022})) is first
    for year in range(2000, 2010):
        visibility.of(SearchRequest("q", tenant=None, filter={"year": year}))
    again = visibility.of(SearchRequest("q", tenant=None, filter={"year": 2022}))
    assert again is not first
    assert again.key == first.key
    assert len(visibility._kept) == 2


values = st.sampled_from([0, 1, "a", "年", None, ["t1", "a"], "t1", "t2"])
metadata = st.dictionaries(st.sampled_from(["x", "y", "tenant"]), values, max_size=3)


@given(
    st.lists(st.tuples(metadata, st.sampled_from(list(TEXTS.values()))), max_size=12),
    st.none() | st.sampled_from(["t1", "t2", "年"]),
    st.none() | st.fixed_dictionaries({"x": st.sampled_from([0, 1, "a", "年"])}),
    st.none() | st.lists(st.sampled_from(["0.md", "1.md"]), max_size=2).map(tuple),
)
def test_against_a_loop_over_the_chunks(rows, tenant, condition, documents):
    chunks = [chunk(number, f"{number % 3}.md", text, **own) for number, (own, text) in enumerate(rows)]
    every = {**(condition or {}), "chunk_language": {"$ne": "en"}}
    expected = [
        one.number
        for one in chunks
        if may_see(tenant, one.metadata)
        and (documents is None or one.doc_id in documents)
        and compiled(every)({**one.metadata, "chunk_language": language_of(one.text)})
    ]
    found = seen(chunks, tenant=tenant, filter=every, allowed_docs=documents)
    assert (list(range(len(chunks))) if found is None else found) == expected


def test_a_hundred_thousand_chunks_cost_a_loop_once():
    own = [{"year": 2000 + number % 30, "tenant": f"t{number % 7}"} for number in range(2000)]
    chunks = [Chunk(f"{n}", n, f"{n // 50}.md", 0, 1, "x", "x", metadata=own[n // 50]) for n in range(100_000)]
    visibility = Visibility(chunks)
    request = SearchRequest("q", tenant="t1", filter={"year": {"$gte": 2010}})
    visibility.of(request)
    started = time.perf_counter()
    for number in range(1000):
        visibility.of(SearchRequest(f"q{number}", tenant="t1", filter={"year": {"$gte": 2010}}))
    repeated = time.perf_counter() - started
    started = time.perf_counter()
    for year in range(20):
        visibility.of(SearchRequest("q", tenant="t1", filter={"year": {"$gte": 1990 + year}}))
    fresh = time.perf_counter() - started
    assert repeated < 0.5, "some 10 ms on an idle machine"
    assert fresh < 2.0, "some 40 ms on an idle machine"
