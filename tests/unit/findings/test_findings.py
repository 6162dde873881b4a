"""The best of a sweep, effects of its axes, curves and the front, against values that can be worked out by hand."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from ragbench.core.codec import dumps
from ragbench.findings.curve import curve, number
from ragbench.findings.effects import main_effect
from ragbench.findings.find import EQUAL_CONTEXT, EQUAL_K, comparable, find, measures_for
from ragbench.findings.front import front
from ragbench.findings.leader import leader
from ragbench.findings.variant import cost_of, run_values
from ragbench.run_dir import layout
from ragbench.sink.findings_lines import findings_lines
from tests.report_fixture import make_run
from tests.unit.findings.made import M, variant

LOW = [0.0, 0.5, 0.0, 0.5] * 5
HIGH = [1.0, 1.0, 0.5, 1.0] * 5


def test_the_best_is_told_from_what_lies_clear_of_it_and_not_from_its_like() -> None:
    near = [*HIGH[:-1], 0.5]
    found = leader([variant("low", {}, LOW), variant("high", {}, HIGH), variant("near", {}, near)], M, 0)
    assert found is not None
    assert (found["run_id"], found["n"], found["tied"]) == ("high", 20, ["near"])
    rows = {row["run_id"]: row for row in found["behind"]}
    assert rows["low"]["apart"] and rows["low"]["mean"] == pytest.approx(0.625)
    assert not rows["near"]["apart"] and rows["near"]["mean"] == pytest.approx(0.025)


def test_ties_of_the_best_go_to_the_earlier_and_only_shared_questions_count() -> None:
    short = variant("short", {}, HIGH[:6])
    found = leader([variant("a", {}, HIGH), variant("b", {}, HIGH), short], M, 0)
    assert found is not None
    assert (found["run_id"], found["n"], found["tied"]) == ("a", 6, ["b", "short"])
    assert all(row["p"] == 1.0 for row in found["behind"])


def test_nothing_to_compare_has_no_best() -> None:
    assert leader([], M, 0) is None
    assert leader([variant("a", {}, HIGH)], M, 0) is None
    assert leader([variant("a", {}, HIGH), variant("b", {}, [])], M, 0) is None
    assert leader([variant("a", {}, [1.0]), variant("b", {}, [0.0])], M, 0) is None


def test_less_is_better_where_a_measure_says_so() -> None:
    one, two = (
        replace(variant(n, {}, []), values={"answer/false_answer": {f"q{i}": v for i in range(9)}})
        for n, v in (("a", 1.0), ("b", 0.0))
    )
    found = leader([one, two], "answer/false_answer", 0)
    assert found is not None and found["run_id"] == "b"
    assert found["behind"][0]["mean"] == 1.0


def test_a_main_effect_is_the_mean_over_all_pairs_that_agree_elsewhere() -> None:
    grid = [
        variant(f"{a}{k}", {"alpha": a, "k": k}, [base + up] * 8)
        for (a, base), (k, up) in ((x, y) for x in (("0", 0.1), ("1", 0.5)) for y in (("1", 0.0), ("3", 0.2)))
    ]
    found = main_effect(grid, "alpha", M, 0)
    assert found is not None and found["reference"] == "1" and not found["is_base"]
    (row,) = found["values"]
    assert (row["value"], row["pairs"], row["n"]) == ("0", 2, 8)
    assert row["mean"] == pytest.approx(-0.4)
    based = main_effect(grid, "k", M, 0, "1")
    assert based is not None and based["is_base"] and based["values"][0]["mean"] == pytest.approx(0.2)


def test_an_axis_of_some_variants_is_matched_with_those_that_lack_it() -> None:
    sparse = variant("s", {"retriever": "sparse"}, [0.2] * 6)
    hybrids = [variant(f"h{a}", {"retriever": "hybrid", "alpha": a}, [v] * 6) for a, v in (("0", 0.4), ("1", 0.8))]
    found = main_effect([sparse, *hybrids], "retriever", M, 0)
    assert found is not None and found["reference"] == "hybrid"
    assert found["values"][0]["mean"] == pytest.approx(-0.4) and found["values"][0]["pairs"] == 2
    alpha = main_effect([sparse, *hybrids], "alpha", M, 0)
    assert alpha is not None and alpha["reference"] == "1" and alpha["values"][0]["pairs"] == 1


def test_points_folded_into_a_variant_stand_at_their_own_places() -> None:
    twin = variant("rrf", {"fusion": "rrf", "k": "1"}, [0.5] * 5, twins=[{"fusion": "rrf", "k": "3"}])
    other = [variant(f"a{k}", {"fusion": "alpha", "k": k}, [0.1] * 5) for k in ("1", "3")]
    found = main_effect([twin, *other], "fusion", M, 0)
    assert found is not None and found["values"][0]["pairs"] == 2


def test_a_curve_has_its_knee_where_more_brings_nothing() -> None:
    levels = {"200": 0.2, "500": 0.8, "800": 0.8, "1200": 0.8}
    found = curve(
        [variant(size, {"chunk_size": size}, [v, v + 0.1] * 10) for size, v in levels.items()], "chunk_size", M, 0
    )
    assert found is not None
    assert (found["knee"], found["best"], found["n"], found["settings"]) == (500.0, 500.0, 20, 1)
    assert [point["value"] for point in found["points"]] == [200.0, 500.0, 800.0, 1200.0]
    assert curve([variant(a, {"x": a}, HIGH) for a in ("1", "2", "b")], "x", M, 0) is None
    assert curve([variant(a, {"x": a}, HIGH) for a in ("1", "2", "3")], "x", M, 0) is None, "nothing moves"
    assert curve([variant(a, {"x": a}, LOW) for a in ("1", "2")], "x", M, 0) is None


@pytest.mark.parametrize(
    ("text", "value"), [("10%", 10.0), ("-0.5", -0.5), ("字", None), ("nan", None), ("inf", None), ("", None)]
)
def test_numbers_of_axes(text: str, value: float | None) -> None:
    assert number(text) == value


def test_the_front_holds_what_nothing_beats_in_all() -> None:
    rows = [
        variant("fast", {}, [0.2] * 4, 1.0),
        variant("good", {}, [0.9] * 4, 5.0),
        variant("worse", {}, [0.1] * 4, 6.0),
    ]
    found = front([*rows, variant("untimed", {}, [1.0] * 4, None)], M)
    assert found is not None and found["unit"] == ""
    assert {row["run_id"]: row["front"] for row in found["rows"]} == {"fast": True, "good": True, "worse": False}
    dear = [replace(rows[0], cost=0.0), replace(rows[1], cost=2.0, unit="CNY"), replace(rows[2], cost=1.0, unit="CNY")]
    priced = front(dear, M)
    assert priced is not None and priced["unit"] == "CNY"
    unknown = front([*dear, replace(rows[2], cost=None)], M)
    assert unknown is not None and unknown["unit"] == "", "a price that is not known of all takes no part"
    assert front(rows[:1], M) is None


def test_costs_leave_the_judge_out_and_say_what_is_unknown() -> None:
    role = {"prompt_tokens": 90, "completion_tokens": 10, "price": 0.4, "currency": "CNY"}
    summary = {
        "n_questions": 10,
        "metrics": {"cost/total_ms": {"mean": 7.5}},
        "cost": {"models": {"generator": role, "judge": role}},
    }
    assert cost_of(summary) == (7.5, 0.04, "CNY")
    unpriced = summary | {"cost": {"models": {"generator": role | {"price": None}}}}
    assert cost_of(unpriced) == (7.5, 10.0, "tokens")
    untold = {"generator": role | {"price": None, "prompt_tokens": None}}
    assert cost_of(summary | {"cost": {"models": untold}}) == (7.5, None, "tokens")
    assert cost_of({"n_questions": 4}) == (None, 0.0, "")


def test_values_of_a_stored_run_have_the_worst_for_what_failed(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=2)
    rows = [
        {"measure": M, "kind": "question", "subject": "问-1", "status": "scored", "value": 0.5},
        {"measure": M, "kind": "question", "subject": "q2", "status": "failed", "value": None},
        {"measure": M, "kind": "question", "subject": "q3", "status": "n/a", "value": None},
        {"measure": "ranking/mrr", "kind": "question", "subject": "q3", "status": "scored", "value": 1.0},
    ]
    with gzip.open(run.folder / layout.SCORES, "wb") as lines:
        lines.write(b"".join(dumps(row) + b"\n" for row in rows))
    assert run_values(run, [M, "answer/exact_match"]) == {M: {"问-1": 0.5, "q2": 0.0}}


def test_sets_cut_differently_are_read_at_an_equal_context() -> None:
    def summary(n_chunks: int, lock: str = "a") -> dict[str, object]:
        metrics = {name: {"mean": 0.5} for name in (EQUAL_K, EQUAL_CONTEXT)}
        return {"metrics": metrics, "cost": {"n_chunks": n_chunks}, "eval_set": {"lock": lock}}

    assert measures_for([summary(10), summary(20)]) == (EQUAL_CONTEXT,)
    assert measures_for([summary(10), summary(10)]) == (EQUAL_K,)
    assert measures_for([{"metrics": {}}]) == ()
    assert comparable([summary(1), summary(2)], M) and not comparable([summary(1), summary(1, "b")], M)


def test_what_was_found_is_told_in_lines() -> None:
    grid = [variant(a, {"alpha": a}, v, ms) for a, v, ms in (("0", LOW, 1.0), ("0.5", HIGH, 9.0), ("1", HIGH, 3.0))]
    found = find(grid, ["alpha"], [M, "answer/exact_match"], 0, None)
    assert [one["measure"] for one in found] == [M]
    lines = findings_lines(found, {one.run_id: f"alpha={one.run_id}" for one in grid})
    assert (
        lines[0].startswith(f"{M}: best alpha=0.5 0.875 (") and "alpha=1 cannot be told from it on this set" in lines[0]
    )
    assert "alpha against the best, 0.5: 0 −0.625" in lines[1] and lines[1].endswith("1 0.000 (0.000 – 0.000) ~")
    assert "knee at 0.5" in lines[2]
    assert (
        "alpha=0 0.250 at 1.0 ms, alpha=1 0.875 at 3.0 ms" in lines[3]
        and "fastest that cannot be told from the best: alpha=1" in lines[3]
    )
