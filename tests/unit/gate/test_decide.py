"""Each rule of the gate, by numbers that can be followed by hand; 40 questions, margin 5 %."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbench.gate.decide import changes, decide
from ragbench.gate.result import GateResult, Outcome
from tests.unit.gate.sides import (
    ALL,
    ANSWERED,
    BAD_CARD,
    CITED,
    COMPLETE,
    CORRECT,
    FAITHFUL,
    FALSE_ANSWER,
    FALSE_REFUSAL,
    GOOD_CARD,
    PRECISE,
    RECALL,
    ones,
    options,
    side,
)

N = 40
DEFAULT = {"measures": None}


def whole(**columns):
    """Columns of a generative run: 40 answerable questions and 20 unanswerable ones, all done right."""
    none, errors = ["n/a"] * 20, [0.0] * N
    return {
        RECALL: ones(N) + none, FAITHFUL: ones(N) + none, CORRECT: ones(N) + none, FALSE_REFUSAL: errors + none,
        ANSWERED: ones(N) + none, FALSE_ANSWER: ["n/a"] * N + [0.0] * 20,
    } | columns  # fmt: skip


def copying(**columns):
    return (
        whole(**{CITED: ones(N) + ["n/a"] * 20, PRECISE: ones(N) + ["n/a"] * 20, COMPLETE: ones(N) + ["n/a"] * 20})
        | columns
    )


def outcomes(result: GateResult) -> dict[str, str]:
    return {row.measure: row.outcome.value for row in result.rows}


def codes(result: GateResult) -> set[str]:
    return {one.code for row in result.rows for one in row.reasons} | {
        one.code for one in (*result.reasons, *result.notes)
    }


def one(before, now, **more) -> GateResult:
    return decide(side({RECALL: now}), side({RECALL: before}), options(**more), 0, GOOD_CARD)


def test_the_same_run_passes_and_says_what_the_set_cannot_see() -> None:
    found = one(ones(N), ones(N))
    assert (found.outcome, found.exit_code) == (Outcome.PASS, 0)
    assert codes(found) == {"blind", "saturated"}


def test_a_confirmed_loss_is_a_regression() -> None:
    found = one(ones(N), ones(N, 4))
    assert (found.outcome, found.exit_code) == (Outcome.REGRESSION, 1)


def test_a_loss_within_the_margin_passes() -> None:
    assert one(ones(N), ones(N, 2)).exit_code == 0


@pytest.mark.parametrize(("uncertain", "code", "outcome"), [("block", 3, "cannot_tell"), ("warn", 0, "unconfirmed")])
def test_a_loss_beyond_the_margin_that_is_not_confirmed(uncertain: str, code: int, outcome: str) -> None:
    found = one(ones(30), ones(30, 2), on_uncertain=uncertain)
    assert (found.exit_code, outcomes(found)[RECALL]) == (code, outcome)
    assert "unconfirmed" in codes(found)


def test_failed_questions_count_as_the_worst() -> None:
    assert one(ones(N), [*ones(N - 4), *["failed"] * 4]).exit_code == 1
    assert one([*ones(N - 4), *["failed"] * 4], ones(N)).exit_code == 0


@pytest.mark.parametrize(("floor", "code"), [(0.5, 0), (0.51, 1)])
def test_under_its_floor_a_run_is_blocked_however_the_baseline_was(floor: float, code: int) -> None:
    found = one(ones(N, 20), ones(N, 20), floors={RECALL: floor})
    assert found.exit_code == code
    assert ("under_floor" in codes(found)) == bool(code)


def test_a_floor_of_a_rate_of_errors_is_its_ceiling() -> None:
    columns = {FALSE_ANSWER: [1.0] * 8 + [0.0] * 32}
    for floor, code in ((0.2, 0), (0.19, 1)):
        given = options(measures=(FALSE_ANSWER,), floors={FALSE_ANSWER: floor})
        assert decide(side(columns), side(columns), given, 0).exit_code == code


def test_a_floor_counts_what_failed_as_the_worst() -> None:
    values = [*ones(36), *["failed"] * 4]
    assert one(values, values, floors={RECALL: 0.95}).exit_code == 1


def test_a_generative_run_is_gated_on_faithfulness_recall_correctness_and_refusals() -> None:
    found = decide(side(whole()), side(whole()), options(**DEFAULT), 0, GOOD_CARD)
    assert found.exit_code == 0
    assert outcomes(found) == dict.fromkeys(ALL, "pass")


@pytest.mark.parametrize("name", [FAITHFUL, CORRECT, RECALL])
def test_each_of_them_blocks_alone(name: str) -> None:
    worse = whole(**{name: ones(N, 4) + ["n/a"] * 20})
    found = decide(side(worse), side(whole()), options(**DEFAULT), 0, GOOD_CARD)
    assert [row.measure for row in found.rows if row.outcome is Outcome.REGRESSION] == [name]


def test_nobody_wins_by_refusing() -> None:
    # The ten answers that were wrong are refused now: of the rest everything is better than it was.
    before = whole(**{FAITHFUL: ones(N, 10) + ["n/a"] * 20})
    refuses = whole(
        **{
            FAITHFUL: [*ones(30), *["n/a"] * 30],
            FALSE_REFUSAL: [*[0.0] * 30, *[1.0] * 10, *["n/a"] * 20],
            ANSWERED: [*ones(30), *[0.0] * 10, *["n/a"] * 20],
        }
    )
    found = decide(side(refuses), side(before), options(**DEFAULT), 0, GOOD_CARD)
    assert found.exit_code == 1
    assert outcomes(found)[ANSWERED] == outcomes(found)[FALSE_REFUSAL] == "regression"
    faithful = next(row for row in found.rows if row.measure == FAITHFUL)
    assert faithful.means == (1.0, 1.0) and faithful.before == 0.75
    assert faithful.loss.n == 30 and faithful.vanished == tuple(f"q{at}" for at in range(30, 40))


def test_everything_refused_is_a_regression_though_faithfulness_has_no_pair() -> None:
    silent = whole(
        **{
            FAITHFUL: ["n/a"] * 60,
            FALSE_REFUSAL: [1.0] * N + ["n/a"] * 20,
            ANSWERED: [0.0] * N + ["n/a"] * 20,
        }
    )
    found = decide(side(silent), side(whole()), options(**DEFAULT), 0, GOOD_CARD)
    assert found.exit_code == 1 and outcomes(found)[FAITHFUL] == "cannot_tell"


def test_a_judge_below_its_floor_cannot_tell_and_never_passes() -> None:
    found = decide(side(whole()), side(whole()), options(**DEFAULT), 0, BAD_CARD)
    assert found.exit_code == 3 and outcomes(found)[FAITHFUL] == "cannot_tell"
    assert {value for name, value in outcomes(found).items() if name != FAITHFUL} == {"pass"}
    without = tuple(name for name in ALL if name != FAITHFUL)
    assert decide(side(whole()), side(whole()), options(measures=without), 0, BAD_CARD).exit_code == 0


def test_a_regression_is_one_though_the_judge_is_below_its_floor() -> None:
    worse = whole(**{RECALL: ones(N, 4) + ["n/a"] * 20})
    assert decide(side(worse), side(whole()), options(**DEFAULT), 0, BAD_CARD).exit_code == 1


def test_answers_that_are_copied_are_gated_on_citations_instead_of_faithfulness() -> None:
    sides = side(copying(), copies=True), side(copying(), copies=True)
    found = decide(*sides, options(**DEFAULT), 0, GOOD_CARD)
    shown = {FAITHFUL: "shown", COMPLETE: "pass", CITED: "pass", PRECISE: "pass"}
    assert found.exit_code == 0 and shown.items() <= outcomes(found).items()
    below = decide(*sides, options(**DEFAULT), 0, BAD_CARD)
    assert below.exit_code == 0 and outcomes(below)[COMPLETE] == "shown" and "judge_below" in codes(below)
    worse = side(copying(**{CITED: ones(N, 4) + ["n/a"] * 20}), copies=True)
    assert decide(worse, sides[1], options(**DEFAULT), 0, BAD_CARD).exit_code == 1


def test_a_judged_measure_that_is_named_needs_its_judge_for_copied_answers_too() -> None:
    sides = side(copying(), copies=True), side(copying(), copies=True)
    for name in (COMPLETE, FAITHFUL):
        assert decide(*sides, options(measures=("default", name)), 0, BAD_CARD).exit_code == 3
        assert decide(*sides, options(measures=("default", name)), 0, GOOD_CARD).exit_code == 0


def test_from_copying_to_writing_faithfulness_is_tested_and_the_ceiling_named() -> None:
    found = decide(side(whole()), side(copying(), copies=True), options(**DEFAULT), 0, GOOD_CARD)
    assert outcomes(found)[FAITHFUL] == "pass" and "now_writes" in codes(found)
    back = decide(side(copying(), copies=True), side(whole() | copying()), options(**DEFAULT), 0, GOOD_CARD)
    assert outcomes(back)[FAITHFUL] == "shown" and "now_copies" in codes(back)


@pytest.mark.parametrize(
    ("facts", "code", "said"),
    [
        ({"judge": {"title": "llm-1 other", "key": "x"}}, 3, "other_judge"),
        ({"judge": {}}, 3, "other_judge"),
        ({"runtime": {"runtime": "onnx"}}, 0, "other_runtime"),
        ({"variant": {"alpha": 0.5}}, 0, "changed"),
    ],
)
def test_what_differs_is_told(facts, code: int, said: str) -> None:
    found = decide(side(whole(), **facts), side(whole()), options(**DEFAULT), 0, GOOD_CARD)
    assert found.exit_code == code and said in codes(found)


def test_another_judge_does_not_matter_where_nothing_gated_is_judged() -> None:
    other = side(whole(), judge={"title": "offline-4", "key": "x"})
    found = decide(other, side(whole()), options(measures=(RECALL,)), 0, BAD_CARD)
    assert found.exit_code == 0 and "other_judge_unread" in codes(found)


def test_another_runtime_is_tested_against_all_the_same() -> None:
    worse = side({RECALL: ones(N, 4)}, runtime={"runtime": "onnx"})
    assert decide(worse, side({RECALL: ones(N)}), options(), 0).exit_code == 1


SET = {"name": "policy_zh", "version": "v1", "lock": "sha256:1", "split": "test", "questions": None}


@pytest.mark.parametrize(
    ("before", "now", "code"),
    [
        (None, side({RECALL: ones(N)}), "no_baseline"),
        (side({RECALL: ones(N)}), side({RECALL: ones(N)}, eval_set=SET | {"lock": "sha256:2"}), "other_lock"),
        (side({RECALL: ones(1)}), side({RECALL: ones(20)}), "other_questions"),
        (side({RECALL: ones(20)}), side({RECALL: ones(1)}), "other_questions"),
        (side({RECALL: ones(N)}), replace(side({RECALL: ones(N)}), problems=("no question was evaluated",)), "unhealthy"),
        (side({RECALL: ones(N)}), replace(side({RECALL: ones(N)}), oracle=("flow",)), "oracle"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_never_a_pass(before, now, code: str) -> None:
    found = decide(now, before, options(), 0)
    assert (found.outcome, found.exit_code, found.rows) == (Outcome.CANNOT_TELL, 3, ())
    assert code in {reason.code for reason in found.reasons}


def test_scores_that_are_not_there_cannot_tell() -> None:
    full, empty = side({RECALL: ones(N)}), side({CORRECT: ones(N)})
    assert codes(decide(empty, full, options(), 0)) >= {"no_scores_now"}
    assert codes(decide(full, empty, options(), 0)) >= {"no_scores_before"}
    part = replace(full, columns={RECALL: {f"q{at}": full.columns[RECALL][f"q{at}"] for at in range(N - 1)}})
    found = decide(part, full, options(), 0)
    assert found.exit_code == 3 and found.rows[0].reasons[0].values == {"n": 1, "ids": ["q39"]}
    assert decide(side({RECALL: ["n/a"] * N}), full, options(), 0).exit_code == 3
    assert decide(side({}), side({}), options(), 0).exit_code == 3


def test_measures_that_apply_nowhere_say_nothing_by_default_and_are_missed_where_they_are_named() -> None:
    nothing = whole(**{FALSE_ANSWER: ["n/a"] * 60})
    found = decide(side(nothing), side(nothing), options(**DEFAULT), 0, GOOD_CARD)
    assert found.exit_code == 0 and outcomes(found)[FALSE_ANSWER] == "not_applicable"
    named = options(measures=("default", FALSE_ANSWER))
    assert decide(side(nothing), side(nothing), named, 0, GOOD_CARD).exit_code == 3


@pytest.mark.parametrize("judged", [True, False])
def test_retrieval_alone_is_gated_on_recall_whatever_the_judge(judged: bool) -> None:
    retrieves = {name: ["n/a"] * 60 for name in ALL} | {RECALL: whole()[RECALL]}
    if not judged:
        del retrieves[FAITHFUL]
    card = BAD_CARD if judged else None
    found = decide(side(retrieves), side(retrieves), options(**DEFAULT), 0, card)
    assert found.exit_code == 0
    assert {name for name, outcome in outcomes(found).items() if outcome != "not_applicable"} == {RECALL}
    assert decide(side(retrieves), side(whole()), options(**DEFAULT), 0, card).exit_code == 3, "it answered before"


def test_a_gate_that_tested_nothing_is_no_pass() -> None:
    nothing = {name: ["n/a"] * 60 for name in ALL}
    found = decide(side(nothing), side(nothing), options(**DEFAULT), 0, GOOD_CARD)
    assert found.exit_code == 3 and "nothing_tested" in codes(found)


def test_a_much_better_run_says_that_the_baseline_is_old() -> None:
    found = one(ones(N, 20), ones(N, 4))
    note = next(note for note in found.notes if note.code == "old_baseline")
    assert found.exit_code == 0 and note.values["measures"] == {RECALL: pytest.approx(0.425)}
    assert "old_baseline" not in codes(one(ones(N, 20), ones(N, 19)))
    both = side({RECALL: ones(N, 4), CORRECT: ones(N, 4)}), side({RECALL: ones(N, 20), CORRECT: ones(N)})
    blocked = decide(*both, options(measures=(RECALL, CORRECT)), 0)
    assert blocked.exit_code == 1 and "old_baseline" not in codes(blocked), (
        "a run that is blocked is not to be promoted"
    )


def test_changes_name_keys_of_either_side() -> None:
    assert changes({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}) == [("b", 2, 3), ("c", None, 4)]


KINDS = ["编号查询"] * 24 + ["lookup"] * 24 + ["对比 comparison"] * 19


def by_category(lost: dict[int, int], **more):
    """67 questions of three categories, of which those between two places are lost."""
    values = ones(len(KINDS))
    for first, n in lost.items():
        values[first : first + n] = [0.0] * n
    sides = [side({RECALL: one}, KINDS) for one in (values, ones(len(KINDS)))]
    return decide(sides[0], sides[1], options(categories=True, margin=0.15, **more), 0)


def test_a_category_blocks_though_the_whole_does_not() -> None:
    # 10 of 67 are 0.149, within the margin of 0.15; 10 of 24 are 0.417, one-sided p = 1/1024 and by Holm 2/1024.
    found = by_category({0: 10})
    assert found.exit_code == 1 and found.rows[0].outcome is Outcome.PASS
    told = {one.category: one.outcome.value for one in found.categories}
    assert told == {"lookup": "pass", "对比 comparison": "too_few", "编号查询": "regression"}
    hit = next(one for one in found.categories if one.outcome is Outcome.REGRESSION)
    assert hit.category == "编号查询" and hit.p == pytest.approx(2 / 1024, abs=1e-3)


def test_a_category_with_too_few_questions_blocks_nothing_and_is_named() -> None:
    found = by_category({48: 10})
    assert found.exit_code == 0
    assert next(note for note in found.notes if note.code == "too_few").values == {
        "categories": {"对比 comparison": 19}
    }


def test_holm_keeps_what_would_be_told_alone_from_blocking() -> None:
    # 4 of 24: one-sided p = 1/16 = 0.0625 is not below 0.05; 5 of 24: 1/32 alone is, twice that is not.
    for lost in (4, 5):
        found = by_category({0: lost})
        hit = next(one for one in found.categories if one.category == "编号查询")
        assert (found.exit_code, hit.outcome) == (0, Outcome.UNCONFIRMED)
        assert "categories_unconfirmed" in codes(found)
    assert by_category({0: 7}).exit_code == 1  # 2 · 1/128
