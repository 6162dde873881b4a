"""Times of questions: nothing from a cache of results, variants in turn, a failure is no time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ragbench.core.store import Store
from ragbench.eval_set.chosen import spread
from ragbench.experiment import query_timing
from ragbench.experiment.plan import Cell
from ragbench.experiment.query_timing import REPEATS, time_queries
from ragbench.flow.one_shot import OneShotFlow
from ragbench.pipeline.routes import RouteLists
from ragbench.run.build import experiment
from ragbench.run.session import Session
from tests.e2e.world import tiny_set

PLAIN = ("variant=bm25", "generator=none", "judge=none", "chunk_unit=chars", "split=all")


@pytest.fixture
def asked(tmp_path):
    folder = tiny_set(tmp_path / "tiny")
    places = (f"paths.store={tmp_path / 'store'}", f"paths.runs={tmp_path / 'runs'}")
    return lambda *more: experiment(["eval_set=local", f"eval_set.path={folder}", *PLAIN, *places, *more])


@pytest.fixture
def session(tmp_path):
    with Session(Store(tmp_path / "store")) as found:
        yield found


def cells(asked):
    return {Cell("tiny", "", name): asked(f"k={k}") for name, k in (("three", 3), ("five", 5))}


def test_each_variant_has_a_time_for_each_question(asked, session, monkeypatch) -> None:
    searched = Counter()
    find = RouteLists.find

    def watched(self, requests, depth, times):
        lists = find(self, requests, depth, times)
        searched.update((id(self), requests[0].text, one.cached) for one in lists)
        return lists

    monkeypatch.setattr(RouteLists, "find", watched)
    times = time_queries(cells(asked), session)
    n = len(session.eval_set(asked()).of_split("all"))
    assert {cell.variant: len(found) for cell, found in times.items()} == {"three": n, "five": n}
    assert all(ms > 0 for found in times.values() for ms in found.values())
    assert set(searched.values()) == {1}, "no text is asked twice of one variant"
    assert not any(cached for *_, cached in searched), "nothing comes from a cache of results"
    assert len(searched) == 2 * n * (REPEATS + 1)


def test_the_variants_take_turns(asked, session, monkeypatch) -> None:
    order = []
    ask = query_timing._ask

    def noted(one, bench, question):
        order.append(one.pipeline.flow.cuts.k)
        return ask(one, bench, question)

    monkeypatch.setattr(query_timing, "_ask", noted)
    time_queries(cells(asked), session)
    assert order[:6] == [3, 5, 3, 5, 3, 5]


def test_a_question_that_fails_has_no_time(asked, session, monkeypatch) -> None:
    run = OneShotFlow.run

    def failing(self, questions, bench):
        for trace in run(self, questions, bench):
            yield replace(trace, error="choked") if self.k == 3 else trace

    monkeypatch.setattr(OneShotFlow, "run", failing)
    times = time_queries(cells(asked), session)
    assert times[Cell("tiny", "", "three")] == {}
    assert times[Cell("tiny", "", "five")]


def test_the_first_round_is_not_counted(asked, session, monkeypatch) -> None:
    seen = Counter()

    def slow_at_first(one, bench, question):
        seen[one.pipeline.flow.cuts.k, question.id] += 1
        return 1000.0 if seen[one.pipeline.flow.cuts.k, question.id] == 1 else float(seen.total())

    monkeypatch.setattr(query_timing, "_ask", slow_at_first)
    times = time_queries(cells(asked), session)
    assert max(ms for found in times.values() for ms in found.values()) < 1000
    assert set(seen.values()) == {REPEATS + 1}


def test_at_most_sixty_questions_spread_over_the_set(monkeypatch) -> None:
    assert spread([], query_timing.N_QUESTIONS) == []
    assert spread(list(range(7)), query_timing.N_QUESTIONS) == list(range(7))
    chosen = spread(list(range(600)), query_timing.N_QUESTIONS)
    assert (len(chosen), chosen[0], chosen[-1]) == (60, 0, 590)
