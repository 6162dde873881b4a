"""Which steps of a trace searched, and which only merges them."""

from __future__ import annotations

from ragbench.records.search import SearchRequest
from ragbench.records.trace import Trace, TraceStep


def step(*texts: str) -> TraceStep:
    return TraceStep(tuple(SearchRequest(text, tenant=None) for text in texts))


def test_a_last_step_that_merges_all_requests_is_no_round() -> None:
    assert Trace("q").rounds == ()
    assert Trace("q", steps=(step("年假"),)).rounds == (step("年假"),)
    merged = (step("a"), step("b", "API 的 c"), step("a", "b", "API 的 c"))
    assert Trace("q", steps=merged).rounds == merged[:2]


def test_steps_that_search_anew_are_all_rounds() -> None:
    for last in (step("b"), step("b", "a"), step("a"), step("a", "b", "c"), step()):
        steps = (step("a"), step("b"), last)
        assert Trace("q", steps=steps).rounds == steps
