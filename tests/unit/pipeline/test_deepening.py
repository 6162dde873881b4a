"""Lists that are continued until a context budget is full."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.errors import StoreError
from ragbench.measure.retrieval.budget import filling
from ragbench.pipeline.deepening import Deepening
from ragbench.records.search import RouteList, SearchRequest
from ragbench.records.trace import Trace, TraceStep
from ragbench.retriever.hybrid import HybridRetriever

ALPHA = HybridRetriever(fusion="alpha", alpha=0.7, scale="minmax", rrf_k=60, weights={"dense": 1.0, "sparse": 1.0})
ASKED = SearchRequest("年假", tenant=None)


@dataclass
class Shelf:
    """Two routes over `n` chunks: dense finds all from the first on, sparse the last `n_sparse` from the last on."""

    n: int
    n_sparse: int = 0
    asked: list[int] = field(default_factory=list)
    error: Exception | None = None

    def retrieve(self, requests, depth, times):
        if self.error:
            raise self.error
        found = []
        for number, request in enumerate(requests):
            self.asked.append(request.depth or depth)
            dense = range(min(request.depth or depth, self.n))
            sparse = range(self.n - 1, self.n - 1 - min(request.depth or depth, self.n_sparse), -1)
            found.append(RouteList("dense", number, tuple(dense), tuple(1 - one / 1000 for one in dense)))
            found.append(RouteList("sparse", number, tuple(sparse), tuple(float(one) for one in sparse)))
        return tuple(found)

    def fuse(self, lists, times):
        return ALPHA.fuse(lists)


def asked(shelf: Shelf, pool_depth: int, requests=(ASKED,)) -> Trace:
    lists = shelf.retrieve(requests, pool_depth, {})
    shelf.asked.clear()
    fused = shelf.fuse(lists, {})
    return Trace("q", steps=(TraceStep(requests, lists, fused, fused),))


def deepened(shelf: Shelf, budget: int, pool_depth: int = 10, tokens: int = 5, requests=(ASKED,)):
    trace = asked(shelf, pool_depth, requests)
    return trace, Deepening(shelf, [tokens] * shelf.n, budget, pool_depth).of(trace)


def test_a_list_that_holds_enough_is_not_searched_again() -> None:
    shelf = Shelf(100)
    before, after = deepened(shelf, budget=50)
    assert shelf.asked == []
    assert after.steps[0] == replace(before.steps[0], more=True)


def test_a_list_goes_on_at_doubled_depths_until_the_budget_is_full() -> None:
    shelf = Shelf(100)
    before, after = deepened(shelf, budget=140)
    assert shelf.asked == [20, 40]
    assert after.steps[0].deeper == tuple(range(10, 40))
    assert after.steps[0].more
    assert after.steps[0].fused is before.steps[0].fused
    assert (after.context, after.timings_ms) == (before.context, before.timings_ms)


def test_it_ends_where_the_routes_find_no_more() -> None:
    shelf = Shelf(25, n_sparse=3)
    _, after = deepened(shelf, budget=10_000)
    assert shelf.asked == [20, 40]
    assert set(after.steps[0].deeper) | {hit.chunk for hit in after.steps[0].fused} == set(range(25))
    assert not after.steps[0].more


def test_a_short_list_that_is_all_there_is_stays() -> None:
    shelf = Shelf(7)
    _, after = deepened(shelf, budget=10_000)
    assert shelf.asked == []
    assert after.steps[0].deeper == ()
    assert not after.steps[0].more


def test_a_request_with_a_depth_of_its_own_is_doubled_from_there() -> None:
    shelf = Shelf(100)
    deepened(shelf, budget=140, requests=(replace(ASKED, depth=3), ASKED))
    assert shelf.asked == [6, 20, 12, 40]


def test_a_trace_without_a_search_or_with_an_error_stays() -> None:
    deepen = Deepening(Shelf(10), [5] * 10, 100, 10)
    failed = replace(asked(Shelf(100), 10), error="late")
    assert deepen.of(failed) is failed
    assert deepen.of(Trace("q")) == Trace("q")


def test_a_search_that_fails_is_the_questions_error_and_a_store_that_fails_everybodys() -> None:
    shelf = Shelf(100)
    trace = asked(shelf, 10)
    shelf.error = ValueError("no\nmore")
    assert Deepening(shelf, [5] * 100, 100, 10).of(trace) == replace(trace, error="ValueError: no more")
    shelf.error = StoreError("full disk")
    with pytest.raises(StoreError):
        Deepening(shelf, [5] * 100, 100, 10).of(trace)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 8), st.integers(1, 300), st.integers(0, 300))
def test_what_one_budget_sees_does_not_depend_on_a_larger_one(n, n_sparse, pool_depth, budget, beyond) -> None:
    def seen(largest: int) -> list[int]:
        _, after = deepened(Shelf(n, min(n, n_sparse)), largest, pool_depth, tokens=4)
        step = after.steps[0]
        fused = [hit.chunk for hit in step.fused]
        count = filling(fused, step.deeper, [4] * n, budget)
        assert count is not None or not step.more, "the list is full or all there is"
        everything = [*fused, *step.deeper[: len(step.deeper) if count is None else count]]
        assert len(set(everything)) == len(everything)
        return everything

    assert seen(budget) == seen(budget + beyond)
