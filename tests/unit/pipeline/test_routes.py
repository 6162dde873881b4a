"""Route lists are searched once and come back as they were."""

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.blobs import BlobTable
from ragbench.pipeline.routes import RouteLists, StoredList, sparse_search
from ragbench.records.search import Hit, SearchRequest


@given(st.lists(st.tuples(st.integers(0, 2**31 - 1), st.floats(width=32, allow_nan=False)), max_size=50))
def test_a_list_survives_its_bytes(pairs):
    numbers = np.array([n for n, _ in pairs], np.int32)
    scores = np.array([s for _, s in pairs], np.float32)
    again = StoredList.from_bytes(StoredList((numbers, scores), 1.5, 0.25).to_bytes())
    assert again.found[0].tolist() == numbers.tolist()
    assert again.found[1].tolist() == scores.tolist()
    assert (again.search_ms, again.embed_ms) == (1.5, 0.25)


class Route:
    """A route that counts its searches."""

    def __init__(self):
        self.calls = []

    def __call__(self, request, depth):
        self.calls.append((request.text, depth))
        numbers = np.arange(min(depth, 3), dtype=np.int32)
        return StoredList((numbers, np.linspace(1, 0.5, len(numbers)).astype(np.float32)), 2.0, 0.5)


def lists(tmp_path, route, key="k1"):
    return RouteLists(BlobTable(tmp_path / "r.sqlite"), {"dense": key}, {"dense": route})


def test_a_list_is_searched_once_ever(tmp_path):
    route = Route()
    first = lists(tmp_path, route)
    request = SearchRequest("年假几天？")
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
    base = SearchRequest("q")
    others = [
        (SearchRequest("q "), 10),
        (SearchRequest("q", role="passage"), 10),
        (SearchRequest("q", filter={"a": 1}), 10),
        (SearchRequest("q", tenant="t"), 10),
        (SearchRequest("q", allowed_docs=()), 10),
        (base, 11),
    ]
    keys = {found.key("dense", request, depth) for request, depth in [(base, 10), *others]}
    assert len(keys) == 7
    assert lists(tmp_path, Route(), "k2").key("dense", base, 10) not in keys
    assert found.key("dense", SearchRequest("q", weight=0.5), 10) == found.key("dense", base, 10)


def test_a_request_may_name_its_routes_and_depth(tmp_path):
    route = Route()
    found = lists(tmp_path, route)
    assert found.find([SearchRequest("q", routes=("sparse",))], 10, {}) == ()
    found.find([SearchRequest("q", depth=2)], 10, {})
    assert route.calls == [("q", 2)]


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
    search = sparse_search(index, [])
    assert search(SearchRequest("how many days’ leave"), 5).search_ms < 40 and index.loads == 0
    assert search(SearchRequest("年假几天？"), 5).search_ms < 40 and index.loads == 1
