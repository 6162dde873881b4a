"""Route lists are searched once and come back as they were."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.blobs import BlobTable
from ragbench.errors import DataError
from ragbench.pipeline.routes import RouteLists, StoredList, dense_search, sparse_search
from ragbench.pipeline.visibility import Visibility
from ragbench.records.document import Chunk
from ragbench.records.search import Hit, SearchRequest


@given(st.lists(st.tuples(st.integers(0, 2**31 - 1), st.floats(width=32, allow_nan=False)), max_size=50))
def test_a_list_survives_its_bytes(pairs):
    numbers = np.array([n for n, _ in pairs], np.int32)
    scores = np.array([s for _, s in pairs], np.float32)
    again = StoredList.from_bytes(StoredList((numbers, scores), 1.5, 0.25).to_bytes())
    assert again.found[0].tolist() == numbers.tolist()
    assert again.found[1].tolist() == scores.tolist()
    assert (again.search_ms, again.embed_ms) == (1.5, 0.25)


class Counting(BlobTable):
    """A table that notes how many keys each look-up has."""

    def __init__(self, path):
        super().__init__(path)
        self.looked_up = []

    def get_many(self, keys):
        self.looked_up.append(len(keys))
        return super().get_many(keys)


class Route:
    """A route that counts its searches."""

    def __init__(self):
        self.calls = []
        self.allowed = []

    def __call__(self, request, depth, allowed):
        self.calls.append((request.text, depth))
        self.allowed.append(None if allowed is None else allowed.tolist())
        numbers = np.arange(min(depth, 3), dtype=np.int32)
        return StoredList((numbers, np.linspace(1, 0.5, len(numbers)).astype(np.float32)), 2.0, 0.5)


def chunk(number, **metadata):
    return Chunk(f"{number}", number, f"{number}.md", 0, 1, "x", "x", metadata=metadata)


CHUNKS = [chunk(0, a=1), chunk(1, a=2), chunk(2, tenant="t"), chunk(3, tenant=["t", "u"])]


def lists(tmp_path, route, key="k1", chunks=CHUNKS):
    table = BlobTable(tmp_path / "r.sqlite")
    return RouteLists(table, {"dense": key}, {"dense": route}, Visibility(chunks))


def asked(text, **more):
    return SearchRequest(text, **({"tenant": None} | more))


def test_a_list_is_searched_once_ever(tmp_path):
    route = Route()
    first = lists(tmp_path, route)
    request = asked("年假几天？")
    times: dict[str, float] = {}
    (cold,) = first.find([request], 10, times)
    (again,) = first.find([request], 10, {})
    first.flush()
    (warm,) = lists(tmp_path, route).find([request], 10, {})
    assert route.calls == [("年假几天？", 10)]
    assert cold.hits == again.hits == warm.hits
    assert cold.hits == (Hit(0, 1.0, 1), Hit(1, 0.75, 2), Hit(2, 0.5, 3))
    assert (cold.cached, warm.cached) == (False, True)
    assert times == {"dense": 2.0, "embed": 0.5}
    assert warm.ms == 2.5


def test_everything_that_reaches_the_search_is_in_the_key(tmp_path):
    found = lists(tmp_path, Route())
    base = asked("q")
    others = [
        (asked("q "), 10),
        (asked("q", role="passage"), 10),
        (asked("q", filter={"a": 1}), 10),
        (asked("q", tenant="t"), 10),
        (asked("q", tenant="u"), 10),
        (asked("q", allowed_docs=()), 10),
        (base, 11),
    ]
    keys = {found.key("dense", request, depth) for request, depth in [(base, 10), *others]}
    assert len(keys) == 8
    assert lists(tmp_path, Route(), "k2").key("dense", base, 10) not in keys
    assert found.key("dense", asked("q", weight=0.5), 10) == found.key("dense", base, 10)


def test_a_list_is_shared_by_who_may_see_the_same_chunks_and_by_nobody_else(tmp_path):
    route = Route()
    found = lists(tmp_path, route)
    for request in (
        asked("q", filter={"a": {"$gte": 1}}),
        asked("q"),
        asked("q", allowed_docs=("0.md", "1.md", "2.md")),
    ):
        found.find([request], 10, {})
    found.find([asked("q", tenant="t")], 10, {})
    found.find([asked("q", tenant="u")], 10, {})
    assert route.allowed == [[0, 1], [2, 3], [3]]


def test_a_tenant_given_to_another_document_makes_stored_lists_void(tmp_path):
    """The texts, and with them the indexes and their keys, stay what they were."""
    route = Route()
    for owner in ("t", "u"):
        found = lists(tmp_path, route, chunks=[chunk(0, tenant=owner), chunk(1, tenant="u" if owner == "t" else "t")])
        found.find([asked("q", tenant="t")], 10, {})
        found.flush()
    assert route.allowed == [[0], [1]]


def test_a_filter_that_cannot_be_read_is_told_before_anything_is_searched(tmp_path):
    route = Route()
    with pytest.raises(DataError, match="filter operator"):
        lists(tmp_path, route).find([asked("q"), asked("q", filter={"$nor": []})], 10, {})
    assert route.calls == []


def test_threads_share_lists(tmp_path):
    route = Route()
    found = lists(tmp_path, route)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: found.find([asked(f"q{number}")], 10, {}), range(1000)))
    found.flush()
    assert len(found.table) == found.n_searched == 1000


def test_lists_of_an_index_are_found_again_by_another_variant_and_in_the_same_one(tmp_path):
    route = Route()
    found = lists(tmp_path, route)
    for text in ("q", "q", "r"):
        found.find([asked(text)], 10, {})
    found.flush()
    found.find([asked("q")], 10, {})
    again = lists(tmp_path, route)
    again.find([asked("r"), asked("s")], 10, {})
    assert (found.n_searched, again.n_searched) == (2, 1)


def test_a_request_may_name_its_routes_and_depth(tmp_path):
    route = Route()
    found = lists(tmp_path, route)
    assert found.find([asked("q", routes=("sparse",))], 10, {}) == ()
    found.find([asked("q", depth=2)], 10, {})
    assert route.calls == [("q", 2)]


def test_where_nothing_may_be_seen_nothing_is_embedded():
    assert dense_search(None, None)(asked("q"), 10, np.empty(0, np.int32)).found[0].tolist() == []


class SlowAtFirst:
    """A sparse index that loads its dictionary at the first Chinese text, as the word splitter does."""

    size = 1

    def __init__(self):
        self.loads = 0

    def search(self, text, depth, allowed=None):
        if not self.loads and "年" in text:
            self.loads += 1
            time.sleep(0.05)
        return np.zeros(1, np.int32), np.ones(1, np.float32)


def test_a_dictionary_is_loaded_only_for_text_that_needs_it_and_counts_for_no_question():
    index = SlowAtFirst()
    search = sparse_search(index)
    assert search(asked("how many days’ leave"), 5, None).search_ms < 40 and index.loads == 0
    assert search(asked("年假几天？"), 5, None).search_ms < 40 and index.loads == 1


def test_vectors_of_several_missing_queries_are_made_in_one_call(tmp_path):
    route, together = Route(), []
    table = BlobTable(tmp_path / "r.sqlite")
    found = RouteLists(table, {"dense": "k"}, {"dense": route}, Visibility(CHUNKS), together.append)
    found.find([asked("年假")], 3, {})
    assert together == [], "one query is embedded when it is searched"
    requests = [
        asked("年假"),
        asked("how many"),
        asked("API 的 key"),
        asked("how many"),
        asked("as a passage", role="passage"),
    ]
    first, times = found.find(requests, 3, {}), {}
    assert together == [["how many", "API 的 key"]]
    assert found.find(requests, 3, times) and len(together) == 1, "nothing is missing any more"
    (tmp_path / "other").mkdir()
    serial = lists(tmp_path / "other", Route(), "k").find(requests, 3, {})
    assert [(one.request, one.chunks, one.scores) for one in first] == [
        (one.request, one.chunks, one.scores) for one in serial
    ]
    assert times["dense"] == 2.0 * 5


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("stored", [0, 2, 5])
def test_lists_that_are_expected_are_looked_up_together_and_stay_what_they_are(tmp_path, stored, told):
    texts = ["年假几天？", "annual leave?", "API 限流", "年假几天？", "other"]
    requests = [asked(text) for text in texts]
    lists(tmp_path, before := Route()).find(requests[:stored], 10, {})
    route = Route()
    first = lists(tmp_path, before)
    first.find(requests[:stored], 10, {})
    first.flush()
    table = Counting(tmp_path / "r.sqlite")
    found = RouteLists(table, {"dense": "k1"}, {"dense": route}, Visibility(CHUNKS))
    if told:
        found.expect([asked("unreadable", filter={"$what": 1}), *requests[:4]], 10)
    every = [found.find([request], 10, {})[0] for request in requests]
    assert [text for text, _ in route.calls] == list(dict.fromkeys(texts))[min(stored, 4) :]
    assert [one.cached for one in every] == [n < stored or n == 3 for n in range(5)]
    assert {one.hits for one in every} == {(Hit(0, 1.0, 1), Hit(1, 0.75, 2), Hit(2, 0.5, 3))}
    assert (len(table.looked_up) <= 3) if told else (len(table.looked_up) >= 4)


def test_lists_are_expected_in_portions_and_other_searches_do_not_disturb_them(tmp_path, monkeypatch):
    monkeypatch.setattr("ragbench.pipeline.routes._AHEAD", 3)
    table = Counting(tmp_path / "r.sqlite")
    found = RouteLists(table, {"dense": "k1"}, {"dense": Route()}, Visibility(CHUNKS))
    found.expect((asked(f"q{n}") for n in range(6)), 10)
    for n in range(6):
        found.find([asked(f"q{n}")], 10, {})
        found.find([asked(f"q{n}")], 20, {})
    assert sum(1 for n in table.looked_up if n > 1) == 2
    assert sorted(table.looked_up)[-2:] == [4, 4]
