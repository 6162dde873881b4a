"""Paired contrasts: verdicts, trade-offs, counts of what cannot be paired, judges, limits, won and lost questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.compare.contrast import Contrast
from ragbench.compare.document import document
from ragbench.compare.pairs import BUDGET, Options, Pair, compare_runs
from ragbench.errors import ConfigError
from ragbench.sink.compare_lines import verdict_line
from ragbench.stats.paired import holm, paired_difference
from tests.unit.compare import F1, FAITHFUL, NDCG, RECALL, TIME, TOKENS, write_run

N = 60
DEFAULT = Options()


def graded(shift: float = 0.0, seed: int = 1) -> list[float]:
    rng = np.random.default_rng(seed)
    return np.clip(0.5 + shift + 0.1 * rng.standard_normal(N), 0, 1).tolist()


def compared(root: Path, a: dict[str, Any], b: dict[str, Any], options: Options = DEFAULT, /, **more: Any) -> Pair:
    left = write_run(root, "a-1", a, **more.get("a", {}))
    right = write_run(root, "b-1", b, **more.get("b", {}))
    (pair,) = compare_runs(left, [right], options)
    return pair


def of(pair: Pair, metric: str, category: str = "") -> Contrast:
    return next(one for one in pair.contrasts if (one.metric, one.category) == (metric, category))


def test_a_gain_is_called_better_with_the_figures_of_the_paired_test(tmp_path: Path) -> None:
    a, b = graded(), graded(0.1, 2)
    pair = compared(tmp_path, {NDCG: a, F1: a}, {NDCG: b, F1: a})
    found = of(pair, NDCG)
    assert found.found == paired_difference([y - x for x, y in zip(a, b)], 0)
    assert (found.state, found.counts.pairs, pair.verdict) == ("better", N, "better")
    assert of(pair, F1).state == "same" and of(pair, F1).p_holm == 1.0
    assert found.a == pytest.approx(np.mean(a)) and found.b == pytest.approx(np.mean(b))


def test_swapping_the_runs_turns_the_verdict(tmp_path: Path) -> None:
    one = compared(tmp_path / "x", {NDCG: graded()}, {NDCG: graded(0.1, 2)})
    two = compared(tmp_path / "y", {NDCG: graded(0.1, 2)}, {NDCG: graded()})
    assert (one.verdict, two.verdict) == ("better", "worse")
    assert of(one, NDCG).p_holm == of(two, NDCG).p_holm


def test_lower_is_better_where_the_measure_says_so_and_costs_are_no_quality(tmp_path: Path) -> None:
    more, same = [900.0 + at for at in range(N)], graded()
    pair = compared(tmp_path, {NDCG: same, TOKENS: [500.0] * N}, {NDCG: same, TOKENS: more})
    assert of(pair, TOKENS).state == "worse" and pair.verdict == "alike" and not pair.trade_off


def test_one_up_and_one_down_is_a_trade_off_by_name(tmp_path: Path) -> None:
    pair = compared(tmp_path, {NDCG: graded(), F1: graded(0.1, 2)}, {NDCG: graded(0.1, 2), F1: graded()})
    assert pair.verdict == "trade" and pair.trade_off
    assert [one.metric for one in pair.up if not one.category] == [NDCG]
    assert [one.metric for one in pair.down if not one.category] == [F1]


def test_better_and_dearer_is_a_trade_off_too(tmp_path: Path) -> None:
    a = {NDCG: graded(), TOKENS: [500.0] * N}
    pair = compared(tmp_path, a, {NDCG: graded(0.1, 2), TOKENS: [800.0] * N})
    assert pair.verdict == "better" and pair.trade_off


def test_times_are_shown_and_never_tested(tmp_path: Path) -> None:
    pair = compared(tmp_path, {NDCG: graded(), TIME: [1.0] * N}, {NDCG: graded(), TIME: [9.0] * N})
    found = of(pair, TIME)
    assert (found.state, found.why, found.p_holm, found.found.mean) == ("untested", "timing", None, 8.0)


def test_failed_counts_as_worst_and_na_on_one_side_is_left_out_and_counted(tmp_path: Path) -> None:
    a: list[Any] = [0.5] * N
    b: list[Any] = ["failed", "failed", None, None, None, *[0.5] * (N - 5)]
    a[5] = None
    a[4] = None
    found = of(compared(tmp_path, {NDCG: a}, {NDCG: b}), NDCG)
    counts = found.counts
    assert (counts.pairs, counts.failed_a, counts.failed_b) == (N - 4, 0, 2)
    assert (counts.only_a, counts.only_b, counts.neither) == (2, 1, 1)
    assert found.found.mean == pytest.approx(-2 * 0.5 / (N - 4))
    assert counts.pairs + counts.only_a + counts.only_b + counts.neither == N


def test_a_failed_cost_has_no_worst_value_and_is_unpaired(tmp_path: Path) -> None:
    pair = compared(
        tmp_path, {NDCG: graded(), TOKENS: [5.0] * N}, {NDCG: graded(), TOKENS: ["failed", *[5.0] * (N - 1)]}
    )
    counts = of(pair, TOKENS).counts
    assert (counts.pairs, counts.only_a, counts.failed_b) == (N - 1, 1, 1)


def test_other_judges_are_never_compared(tmp_path: Path) -> None:
    scores = {NDCG: graded(), FAITHFUL: graded()}
    other = {NDCG: graded(), FAITHFUL: graded(0.2, 3)}
    outcomes = {"diagnosis_by_question": {"q001": "ok"}}
    pair = compared(
        tmp_path, scores, other,
        a={"summary": outcomes}, b={"summary": outcomes | {"judge": {"faithfulness": "llm-1"}}, "manifest": {"judge": {"name": "llm"}}},
    )  # fmt: skip
    found = of(pair, FAITHFUL)
    assert (found.state, found.p_holm) == ("not_comparable", None)
    assert of(pair, NDCG).state == "same"
    assert pair.turned.note == "judges"


def test_the_same_title_set_otherwise_is_another_judge(tmp_path: Path) -> None:
    scores = {FAITHFUL: graded()}
    pair = compared(tmp_path, scores, scores, b={"manifest": {"judge": {"name": "offline", "threshold": 0.9}}})
    assert of(pair, FAITHFUL).state == "not_comparable"


def test_no_verdict_rests_on_a_judge_below_its_floor_or_on_a_measure_that_is_no_result(tmp_path: Path) -> None:
    below = {"summary": {"judge_card": {"cannot_tell": ["below"]}, "health": [f"{F1}: 20 of 60 failed; first q1: x"]}}
    a, b = ({FAITHFUL: graded(shift, 2), F1: graded(shift, 3), NDCG: graded(shift, 4)} for shift in (0, 0.2))
    pair = compared(tmp_path, a, b, a=below)
    assert {one.metric: one.why for one in pair.contrasts if not one.category} == {
        NDCG: "", FAITHFUL: "judge_below", F1: "unhealthy",
    }  # fmt: skip
    assert [one.metric for one in pair.up if not one.category] == [NDCG]


@pytest.mark.parametrize(("value", "limit"), [(1.0, "ceiling"), (0.0, "floor"), (0.5, "")])
def test_measures_at_the_end_of_their_scale_are_marked(tmp_path: Path, value: float, limit: str) -> None:
    a = [value] * (N - 2) + [0.3, 0.4]
    assert of(compared(tmp_path, {NDCG: a}, {NDCG: a[::-1]}), NDCG).limit == limit


def test_few_changed_questions_can_never_be_told_apart_and_are_not_corrected_for(tmp_path: Path) -> None:
    a, b = graded(), graded(0.1, 2)
    few = [*[1.0] * 3, *a[3:]]
    pair = compared(tmp_path, {NDCG: a, F1: a}, {NDCG: b, F1: few}, Options(by_category=False))
    assert of(pair, F1).state == "too_few" and of(pair, F1).p_holm is None
    assert of(pair, NDCG).p_holm == of(pair, NDCG).found.p


def test_the_correction_is_holm_in_two_halves(tmp_path: Path) -> None:
    a, b = graded(), graded(0.03, 2)
    pair = compared(tmp_path, {NDCG: a, F1: b}, {NDCG: b, F1: a})
    for by_category in (False, True):
        rows = [one for one in pair.contrasts if bool(one.category) is by_category and one.state != "too_few"]
        expected = [min(1.0, 2 * p) for p in holm([one.found.p for one in rows]) if p is not None]
        assert [one.p_holm for one in rows] == expected
    assert any(one.category for one in pair.contrasts)


def test_many_runs_against_one_share_one_correction(tmp_path: Path) -> None:
    base, b, c = (
        write_run(tmp_path, f"{n}-1", {NDCG: graded(s, k)}) for n, s, k in (("a", 0, 1), ("b", 0.04, 2), ("c", 0.04, 3))
    )
    alone = compare_runs(base, [b], Options(by_category=False))[0].contrasts[0]
    both = compare_runs(base, [b, c], Options(by_category=False))[0].contrasts[0]
    assert alone.found == both.found and both.p_holm is not None and alone.p_holm is not None
    assert both.p_holm >= alone.p_holm


def test_the_same_chunks_under_another_cut_are_no_comparison(tmp_path: Path) -> None:
    scores = {NDCG: graded()}
    changed = {"variant": {"chunk_size": 900}, "roots": {"chunk_size": 900}}
    pair = compared(tmp_path, scores, {NDCG: graded(0.2, 2)}, b=changed)
    assert (pair.verdict, pair.same.why) == ("not_a_comparison", "chunks")
    other = compared(tmp_path / "cut", scores, {NDCG: graded(0.2, 2)}, b=changed | {"spans": 90})
    assert other.verdict == "better"


def test_a_verdict_on_other_chunks_tells_recall_at_an_equal_budget(tmp_path: Path) -> None:
    a, b = {NDCG: graded(), BUDGET: graded()}, {NDCG: graded(0.2, 2), BUDGET: graded()}
    cut = {"variant": {"chunk_size": 900}, "roots": {"chunk_size": 900}, "spans": 90}
    pair = compared(tmp_path / "cut", a, b, b=cut)
    assert pair.verdict == "better" and pair.at_budget is of(pair, BUDGET)
    assert "at an equal budget they cannot be told apart, retrieval/recall_budget@2000" in verdict_line(pair)
    told = compared(tmp_path / "told", a, b | {BUDGET: graded(0.2, 3)}, b=cut)
    assert told.at_budget is None, "it stands in the verdict itself"
    same = compared(tmp_path / "k", a, b, b={"variant": {"k": 9}, "roots": {"k": 9}})
    assert same.at_budget is None and "budget" not in verdict_line(same)


def test_a_category_is_not_named_beside_its_measure(tmp_path: Path) -> None:
    pair = compared(tmp_path, {NDCG: graded()}, {NDCG: graded(0.3, 2)})
    assert any(one.category and one.state == "better" for one in pair.contrasts)
    assert [(one.metric, one.category) for one in pair.up] == [(NDCG, "")]


def test_the_same_rankings_and_answers_are_no_comparison(tmp_path: Path) -> None:
    same = {"rankings": [[1, 2]] * N, "answers": ["同一个回答"] * N}
    pair = compared(tmp_path, {NDCG: graded()}, {NDCG: graded()}, a=same, b=same)
    assert (pair.verdict, pair.same.why, of(pair, NDCG).found.p) == ("not_a_comparison", "everything", 1.0)
    other = compared(
        tmp_path / "said", {NDCG: graded()}, {NDCG: graded()}, a=same, b=same | {"answers": ["another"] * N}
    )
    assert (other.verdict, other.same.rankings, other.same.answers) == ("alike", N, 0)
    packed = compared(
        tmp_path / "packed", {NDCG: graded()}, {NDCG: graded()}, a=same, b=same | {"contexts": [["第一段"]] * N}
    )
    assert (packed.verdict, packed.same.contexts, packed.same.answers) == ("alike", 0, N)


def test_questions_won_and_lost_by_the_layer_that_lost_them(tmp_path: Path) -> None:
    outcomes = [
        {"q000": "not_recalled", "q001": "ok", "q002": "ok", "q003": "ranked_out", "q004": "unjudged", "q005": "ok"},
        {"q000": "ok", "q001": "failed", "q002": "ok", "q003": "unused", "q004": "ok", "q005": "false_refusal"},
    ]
    a, b = ({"summary": {"diagnosis_by_question": one}} for one in outcomes)
    found = compared(tmp_path, {NDCG: [0.5] * 6}, {NDCG: [0.6] * 6}, a=a, b=b).turned
    assert [(one.question_id, one.loss) for one in found.won] == [("q000", "not_recalled")]
    assert [(one.question_id, one.loss) for one in found.lost] == [("q001", "failed"), ("q005", "false_refusal")]
    assert (found.both_right, found.both_lost, found.moved, found.undecided) == (1, 1, 1, 1)
    assert list(found.reasons(found.lost)) == ["false_refusal", "failed"]


def test_one_category_is_compared_alone(tmp_path: Path) -> None:
    pair = compared(tmp_path, {NDCG: graded()}, {NDCG: graded(0.1, 2)}, Options(categories=("procedure",)))
    assert len(pair.questions) == N // 4 and {one.category for one in pair.contrasts} == {""}
    assert of(pair, NDCG).counts.pairs == N // 4


def test_named_measures_alone_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    pair = compared(tmp_path, {NDCG: graded(), F1: graded()}, {NDCG: graded(), F1: graded()}, Options(metrics=(F1,)))
    assert {one.metric for one in pair.contrasts} == {F1}
    with pytest.raises(ConfigError, match=r"Did you mean.*ndcg"):
        compared(tmp_path / "x", {NDCG: graded()}, {NDCG: graded()}, Options(metrics=("ranking/ndgc@10",)))


def test_a_measure_that_one_run_lacks_has_no_pairs(tmp_path: Path) -> None:
    pair = compared(tmp_path, {NDCG: graded(), F1: graded()}, {NDCG: graded()})
    assert of(pair, F1).state == "no_pairs" and of(pair, F1).counts.only_a == N


def test_the_document_holds_it_all(tmp_path: Path) -> None:
    pair = compared(tmp_path, {NDCG: graded(), RECALL: graded()}, {NDCG: graded(0.1, 2), RECALL: graded()})
    found = document([pair], Options())
    row = found["pairs"][0]["metrics"][0]
    assert {
        "difference",
        "low",
        "high",
        "p",
        "p_holm",
        "state",
        "pairs",
        "failed_a",
        "only_b",
        "detectable",
    } <= row.keys()
    assert found["base"] == "a-1" and found["pairs"][0]["verdict"] == "better" and found["n_questions"] == N
    assert document([], Options())["pairs"] == []
