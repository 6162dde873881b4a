"""Scoring question by question gives what scoring all at once gives."""

import pytest

from ragbench.errors import DataError, Problems
from ragbench.evaluate.aggregate import summarise
from ragbench.evaluate.defaults import default_measures
from ragbench.evaluate.diagnose import DiagnosisRules, diagnose_all
from ragbench.evaluate.evaluator import evaluate
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import How
from ragbench.judge.base import BY_CLAIMS
from ragbench.measure.base import Reach
from ragbench.measure.case import make_cases
from ragbench.records.score import ClaimState, Status, Verdict
from ragbench.records.trace import QueryView
from ragbench.testing.cases import answer, claims, corpus, group, packed, question, routes, trace, windows

TEXT = "年假十五天。Carry over five days. " * 20
CHUNKED = corpus({"d": TEXT, "e": TEXT}, [*windows("d", TEXT, 40), *windows("e", TEXT, 40)])
RULES = DiagnosisRules(recall_k=20, k=5)
LABELS = ("lookup", "compare", "lookup", "why")


def how(stages=frozenset(Reach), measures=None):
    return How(measures=measures, judged=BY_CLAIMS, seed=3, rules=RULES, stages=stages)


def population(n):
    """Questions of several categories; every seventh has no evidence."""
    return [
        question(
            f"q{at}",
            [] if at % 7 == 6 else [group(("de"[at % 2], at, at + 12))],
            category=LABELS[at % 4],
            complexity="comparison" if at % 3 else "simple_lookup",
            reference="十五天",
        )
        for at in range(n)
    ]


def outcome(asked, at):
    """A trace and a verdict: some failed, some unjudged, some lost on the way."""
    if at % 11 == 10:
        return trace(asked.id, error="ConnectError: refused"), None
    order = [(at + step) % len(CHUNKED.chunks) for step in range(12)]
    made = trace(
        asked.id, order, order[::-1], route_lists=routes(dense=order, sparse=order[::-1]),
        context=packed(CHUNKED, order[:5]), answer=answer("十五天"), timings_ms={"dense": at / 7, "fuse": 0.1},
        query=QueryView("comparison", "rules"),
    )  # fmt: skip
    supported = claims(ClaimState.SUPPORTED, ClaimState.NOT_ENOUGH if at % 2 else ClaimState.SUPPORTED)
    return made, Verdict(asked.id, "a judge", supported, 0.9, supported, supported)


def test_scores_aggregates_and_diagnoses_are_those_of_all_questions_at_once():
    asked = population(60)
    outcomes = [outcome(one, at) for at, one in enumerate(asked) if at != 41]
    scorer = RunScorer(asked, CHUNKED, how())
    for made, verdict in outcomes:
        scorer.add(made, verdict)
    found = scorer.finish()

    cases = make_cases(asked, [made for made, _ in outcomes], CHUNKED, [one for _, one in outcomes if one])
    table = evaluate(cases, CHUNKED, default_measures())
    assert list(found.table.to_rows()) == list(table.to_rows())
    assert found.summary.overall == summarise(table, asked, seed=3).overall
    assert found.summary.by == summarise(table, asked, seed=3).by
    assert found.diagnoses == diagnose_all(cases, RULES)
    assert {row["status"] for row in found.table.to_rows()} == {status.value for status in Status}
    assert found.latency["dense"]["n"] == len(outcomes) - sum(1 for made, _ in outcomes if made.error)
    assert scorer.seconds > 0


def test_the_order_in_which_traces_come_does_not_matter():
    asked = population(20)
    forth, back = (RunScorer(asked, CHUNKED, how()) for _ in range(2))
    for at, one in enumerate(asked):
        forth.add(*outcome(one, at))
    for at, one in reversed(list(enumerate(asked))):
        back.add(*outcome(one, at))
    assert list(forth.finish().table.to_rows()) == list(back.finish().table.to_rows())


def test_what_the_variant_has_is_told_by_the_variant_and_not_by_the_traces():
    asked = population(2)
    without = RunScorer(asked, CHUNKED, how(frozenset(Reach) - {Reach.ANSWER}, ("answer/answered",)))
    within = RunScorer(asked, CHUNKED, how(measures=("answer/answered",)))
    for scorer in (without, within):
        for one in asked:
            scorer.add(trace(one.id, error="boom"))
    assert {row["status"] for row in without.finish().table.to_rows()} == {"n/a"}
    assert {row["status"] for row in within.finish().table.to_rows()} == {"failed"}


def test_strangers_and_doubles_are_refused():
    asked = population(2)
    scorer = RunScorer(asked, CHUNKED, how())
    scorer.add(trace("q0", [0]))
    with pytest.raises(DataError, match="second trace"):
        scorer.add(trace("q0", [0]))
    with pytest.raises(DataError, match="no such question"):
        scorer.add(trace("other", [0]))
    with pytest.raises(Problems):
        RunScorer([*asked, *asked], CHUNKED, how())


def test_no_questions_are_no_result():
    found = RunScorer([], CHUNKED, how()).finish()
    assert found.health == ("no question was evaluated",)
    assert found.latency == {}
