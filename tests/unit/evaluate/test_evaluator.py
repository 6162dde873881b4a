"""Every cell is filled, none is lost, rows come back as they went."""

import math

import pytest

from ragbench.errors import CannotTell, DataError
from ragbench.evaluate.aggregate import is_saturated, summarise
from ragbench.evaluate.defaults import default_measures
from ragbench.evaluate.evaluator import evaluate
from ragbench.evaluate.health import folded, health_problems, require_health
from ragbench.evaluate.table import ScoreTable
from ragbench.measure.base import Measure, Population, Reach, not_applicable
from ragbench.measure.case import make_cases
from ragbench.records.score import Status
from ragbench.testing.cases import corpus, group, question, trace, windows

TEXT = "x" * 200
CHUNKED = corpus({"d": TEXT}, windows("d", TEXT, 20))


def numbered(n, **more):
    return [question(f"q{at}", [group(("d", at, at + 5))], **more) for at in range(n)]


def table_of(function, asked, traces=None, **more):
    measure = Measure("retrieval/mrr", "for a test", function, **more)
    traces = [trace(one.id, [0]) for one in asked] if traces is None else traces
    return evaluate(make_cases(asked, traces, CHUNKED), CHUNKED, [measure])


def test_every_cell_of_subjects_and_measures_is_filled_in_order():
    asked = [*numbered(4), question("u")]
    measures = default_measures()
    table = evaluate(make_cases(asked, [trace(one.id, [0, 1]) for one in asked], CHUNKED), CHUNKED, measures)
    assert table.questions.subjects == ("q0", "q1", "q2", "q3", "u")
    assert sum(len(block.measures) for block in table.blocks.values()) == len(measures)
    for block in table.blocks.values():
        assert block.values.shape == block.status.shape == (len(block.subjects), len(block.measures))
    assert len(list(table.scores())) == sum(block.values.size for block in table.blocks.values())


def test_a_measure_that_raises_is_failed_with_its_message_and_the_others_go_on():
    def odd(case):
        if case.question.id == "q1":
            raise RuntimeError("no such luck")
        return 1.0

    table = table_of(odd, numbered(3))
    states = [score.status for score in table.scores()]
    assert states == [Status.SCORED, Status.FAILED, Status.SCORED]
    assert "RuntimeError: no such luck" in table.questions.score(1, 0).evidence


@pytest.mark.parametrize("value", [1.5, -0.1, math.nan, math.inf, None])
def test_a_value_outside_its_bounds_is_failed(value):
    assert next(table_of(lambda case: value, numbered(1)).scores()).status is Status.FAILED


def test_an_unbounded_measure_still_refuses_infinity():
    table = table_of(lambda case: math.inf, numbered(1), bounds=(0.0, math.inf))
    assert next(table.scores()).status is Status.FAILED


def test_rows_come_back_as_they_went():
    asked = [*numbered(3), question("u")]
    traces = [trace("q0", [0]), trace("q1", error="boom"), trace("u", [1])]
    table = evaluate(make_cases(asked, traces, CHUNKED), CHUNKED, default_measures())
    rows = list(table.to_rows())
    assert list(ScoreTable.from_rows(rows).to_rows()) == rows
    assert {row["status"] for row in rows} == {"scored", "n/a", "failed"}
    assert all((row["value"] is not None) == (row["status"] == "scored") for row in rows)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rows: rows + rows[:1], "found two"),
        (lambda rows: rows[:-1], "found none"),
        (lambda rows: [{**rows[0], "value": None}, *rows[1:]], "agree"),
        (lambda rows: [{**rows[0], "status": "fine"}, *rows[1:]], "agree"),
        (lambda rows: [{**rows[0], "kind": "thing"}, *rows[1:]], "score row 1"),
        (lambda rows: [{"kind": "question"}], "score row 1"),
    ],
)
def test_spoilt_rows_are_refused(spoil, message):
    asked = numbered(2)
    measures = [one for one in default_measures() if one.name in ("retrieval/mrr", "retrieval/map")]
    table = evaluate(make_cases(asked, [trace(one.id, [0]) for one in asked], CHUNKED), CHUNKED, measures)
    rows = list(table.to_rows())
    with pytest.raises(DataError, match=message):
        ScoreTable.from_rows(spoil(rows))


def test_means_counts_and_the_pessimistic_mean():
    asked = [*numbered(3), question("u")]
    traces = [trace("q0", [0]), trace("q1", error="boom"), trace("u", [0])]
    table = evaluate(make_cases(asked, traces, CHUNKED), CHUNKED, default_measures())
    one = summarise(table, asked, seed=0).overall["retrieval/recall@5"]
    assert (one.n_scored, one.n_na, one.n_failed) == (2, 1, 1)
    assert one.mean == 0.5 and one.pessimistic == pytest.approx(1 / 3)
    assert one.low is not None and 0 <= one.low <= one.mean <= one.high <= 1


def test_the_pessimistic_mean_of_a_loss_counts_failures_as_one():
    def odd(case):
        if case.question.id == "q1":
            raise RuntimeError
        return 0.0

    asked = numbered(4)
    table = table_of(odd, asked, worst=1.0, higher_is_better=False)
    assert summarise(table, asked, seed=0).overall["retrieval/mrr"].pessimistic == 0.25
    unknown = table_of(odd, asked, worst=None)
    assert summarise(unknown, asked, seed=0).overall["retrieval/mrr"].pessimistic is None


def test_the_mean_of_nothing_is_none():
    asked = numbered(2)
    one = summarise(table_of(lambda case: not_applicable("never"), asked), asked, seed=0).overall["retrieval/mrr"]
    assert (one.mean, one.low, one.high, one.pessimistic) == (None, None, None, None)
    assert (one.n_scored, one.n_na, one.n_failed) == (0, 2, 0)


def test_facets_macro_mean_and_small_categories():
    asked = [
        *(question(f"a{at}", [group(("d", 0, 5))], category="lookup", language="zh", split="dev") for at in range(6)),
        *(question(f"b{at}", [group(("d", 0, 5))], category="vague", language="en") for at in range(2)),
        question("n", category="negative", language="en"),
    ]
    table = table_of(
        lambda case: 1.0 if case.question.category == "lookup" else 0.0, asked, population=Population.EVIDENCE
    )
    summary = summarise(table, asked, seed=0)
    by = {
        facet: {value: one["retrieval/mrr"].mean for value, one in values.items()}
        for facet, values in summary.by.items()
    }
    assert by["category"] == {"lookup": 1.0, "negative": None, "vague": 0.0}
    assert by["language"] == {"en": 0.0, "zh": 1.0}
    assert by["answerability"] == {"answerable": 0.75, "unanswerable": None}
    assert by["split"] == {"dev": 1.0, "test": 0.0}
    assert by["difficulty"] == {"medium": 0.75}
    assert summary.macro["retrieval/mrr"] == 0.5
    assert summary.overall["retrieval/mrr"].mean == 0.75
    assert summary.small == ("negative", "vague")
    assert summary.counts["category"] == {"lookup": 6, "negative": 1, "vague": 2}


def test_a_table_of_other_questions_is_refused():
    asked = numbered(3)
    table = table_of(lambda case: 1.0, asked)
    with pytest.raises(DataError, match="eval set"):
        summarise(table, asked[::-1], seed=0)


def test_absent_questions_stay_in_the_population():
    asked = numbered(4)
    table = table_of(lambda case: 1.0, asked, [trace("q0", [0])], reach=Reach.FUSED)
    one = summarise(table, asked, seed=0).overall["retrieval/mrr"]
    assert (one.mean, one.n_scored) == (0.25, 4)


def fails(n_failed):
    def odd(case):
        if int(case.question.id[1:]) < n_failed:
            raise TimeoutError("judge timed out")
        return 1.0

    return odd


@pytest.mark.parametrize(("n_failed", "healthy"), [(0, True), (2, True), (3, False), (20, False)])
def test_more_than_a_tenth_failed_cannot_tell(n_failed, healthy):
    table = table_of(fails(n_failed), numbered(20))
    if healthy:
        require_health(table)
        return
    with pytest.raises(CannotTell, match=rf"retrieval/mrr: {n_failed} of 20 failed.*judge timed out") as caught:
        require_health(table)
    assert caught.value.exit_code == 3


def test_not_applicable_cells_do_not_dilute_failures():
    asked = [*numbered(2), *(question(f"u{at}") for at in range(38))]
    table = table_of(fails(1), asked, population=Population.EVIDENCE)
    assert len(health_problems(table)) == 1


def test_zero_questions_cannot_tell():
    with pytest.raises(CannotTell, match="no question"):
        require_health(table_of(lambda case: 1.0, []))


def test_no_questions_still_make_a_table_and_a_summary():
    table = evaluate([], CHUNKED, default_measures())
    summary = summarise(table, [], seed=0)
    assert summary.overall["retrieval/recall@5"].mean is None
    assert summary.by["category"] == {}


def test_saturation():
    asked = numbered(20)
    assert is_saturated(
        table_of(lambda case: 0.0 if case.question.id == "q0" else 1.0, asked).questions, "retrieval/mrr"
    )
    two = table_of(lambda case: 0.0 if case.question.id in ("q0", "q1") else 1.0, asked).questions
    assert not is_saturated(two, "retrieval/mrr")
    assert not is_saturated(table_of(lambda case: not_applicable("x"), asked).questions, "retrieval/mrr")


def test_a_ranking_that_nobody_changed_is_taken_over_and_no_other():
    questions = numbered(3)
    traces = [
        trace("q0", [1, 0]),
        trace("q1", [1, 0], reranked=[0, 1]),
        trace("q2", [0, 1], error="reranker: broken"),
    ]
    cases = make_cases(questions, traces, CHUNKED)
    chosen = default_measures(())
    table = evaluate(cases, CHUNKED, chosen).questions
    assert len(table.twins) >= 15
    for row, case in enumerate(cases):
        for column, measure in enumerate(table.measures):
            alone = measure.find(case)
            found = table.score(row, column)
            assert (found.status, found.value, found.evidence) == (alone.status, alone.value, alone.evidence)


def test_measures_that_failed_of_one_cause_are_one_line() -> None:
    boom = "first question {}: ValueError: 年假 {}"
    health = [
        f"retrieval/mrr: 3 of 9 failed; {boom.format('zh-1', 'a')}",
        "query: 8 of 9 questions planned without the model's reply; first off",
        f"ranking/recall@5: 4 of 12 failed; {boom.format('mix-2', 'b: c')}",
        "answer/f1: 2 of 9 failed; first question en-1: no verdict",
    ]
    assert folded(health) == [
        f"retrieval/mrr and 1 more measures: up to 4 of 12 failed; {boom.format('zh-1', 'a')}",
        health[1],
        health[3],
    ]
    assert folded(health[:1]) == health[:1] and folded([]) == []


def test_what_a_replay_lacks_is_told_once() -> None:
    lacking = "first question pz-1: MissingEntry: replay of a query call (prompt step_back/1): expected an entry"
    measures = [f"{name}: 3 of 9 failed; {lacking}" for name in ("retrieval/mrr", "ranking/mrr")]
    told = "replay: 3 of 9 questions lack a recording; first pz-1: MissingEntry: replay of a query call"
    assert folded([*measures, told]) == [told]
    assert folded(measures) == [f"retrieval/mrr and 1 more measures: up to 3 of 9 failed; {lacking}"]
