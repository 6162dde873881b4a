"""Verdict rules on runs made by hand: confirmed, refuted, and every way of not telling."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from ragbench.experiment.analyse import verdict
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED, Checked, Criterion, Reason
from ragbench.experiment.plan import Cell
from ragbench.experiment.rules import decide
from ragbench.experiment.timing import Timing
from ragbench.stats.paired import Difference
from tests.unit.experiment import FAITHFUL, RECALL, TOKENS, evidence_of, reading, share, study_of


def decided(folder, runs, change=None, **check):
    study = study_of(folder, verdict=[{"metric": RECALL} | check], **(change or {}))
    return decide(evidence_of(study, runs), study.checks[0])


def two(one, other, second=None):
    """Runs of variants 200 and 500 on set one, and on set two."""
    runs = {("one", "200"): one, ("one", "500"): other}
    return runs | ({("two", "200"): second[0], ("two", "500"): second[1]} if second else {})


def test_bounds_belong_to_the_tests_that_say_so() -> None:
    exact = Difference(0.0, 0.0, 0.0, 1.0, 50)
    assert Criterion("above").outcome(exact) == REFUTED
    assert Criterion("at_least").outcome(exact) == CONFIRMED
    assert Criterion("at_most").outcome(exact) == CONFIRMED
    assert Criterion("within", 0.0, 1.0).outcome(exact) == CONFIRMED
    assert Criterion("within", 1.0, 2.0).outcome(exact) == REFUTED
    assert Criterion("above").outcome(Difference(1.0, None, None, 1.0, 1)) == CANNOT_TELL
    wide = Difference(0.0, -1.0, 1.0, 1.0, 50)
    assert {Criterion(kind, 0.0, 0.5).outcome(wide) for kind in ("above", "at_least", "at_most", "within")} == {
        CANNOT_TELL
    }


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(20, 60, CONFIRMED), (60, 20, REFUTED), (40, 42, CANNOT_TELL)],
)
def test_better_than(tmp_path, low, high, outcome) -> None:
    found = decided(tmp_path, two(share(low, 80), share(high, 80)), rule="better_than", a=500, b=200)
    assert found.outcome == outcome
    assert found.reason.code == ("straddles" if outcome == CANNOT_TELL else "")
    assert found.legs[0].pooled.n == 80
    assert [(one.name, one.found.n) for one in found.legs[0].languages] == [("en", 40), ("zh", 40)]


def test_better_by_asks_for_more(tmp_path) -> None:
    runs = two(share(20, 80), share(60, 80))
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, by=0.3).outcome == CONFIRMED
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, by=0.7).outcome == REFUTED
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, percent=100).outcome == CONFIRMED
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, percent=400).outcome == REFUTED


def test_less_is_better_for_a_cost(tmp_path) -> None:
    runs = two({TOKENS: [100 + at for at in range(40)]}, {TOKENS: [50 + at for at in range(40)]})
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, metric=TOKENS).outcome == CONFIRMED
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, metric=TOKENS, percent=20).outcome == CONFIRMED
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, metric=TOKENS, percent=70).outcome == REFUTED


def test_not_worse_and_gain_at_most(tmp_path) -> None:
    runs = two(share(40, 80), share(40, 80))
    assert decided(tmp_path, runs, rule="not_worse_than", a=500, b=200, margin=0.0).outcome == CONFIRMED
    assert decided(tmp_path, runs, rule="gain_at_most", a=500, b=200, margin=0.0).outcome == CONFIRMED
    worse = two(share(60, 80), share(20, 80))
    assert decided(tmp_path, worse, rule="not_worse_than", a=500, b=200, margin=0.1).outcome == REFUTED


def test_sets_that_say_the_opposite_decide_nothing(tmp_path) -> None:
    runs = two(share(5, 80), share(75, 80), (share(60, 80), share(20, 80)))
    found = decided(tmp_path, runs, rule="better_than", a=500, b=200)
    assert found.legs[0].pooled.low > 0, "the pooled interval alone would confirm"
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "disagree")
    assert found.reason.values == {"yes": "one, en, zh", "no": "two"}


def test_languages_that_say_the_opposite_decide_nothing(tmp_path) -> None:
    before = [float(at % 2 and at % 8 == 1) for at in range(160)]
    after = [float(at % 2 == 0) for at in range(160)]
    found = decided(tmp_path, two(before, after), rule="better_than", a=500, b=200)
    assert found.legs[0].pooled.low > 0
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "disagree")


def test_a_small_set_has_no_veto(tmp_path) -> None:
    runs = two(share(10, 80), share(70, 80), (share(6, 6), share(3, 6)))
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200).legs[0].sets[1].found.n == 6
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200).reason.code in ("", "straddles")


def test_too_few_pairs(tmp_path) -> None:
    found = decided(tmp_path, two(share(0, 19), share(19, 19)), rule="better_than", a=500, b=200)
    assert (found.outcome, found.reason) == (CANNOT_TELL, Reason("too_few", {"n": 19, "fewest": 20}))


def test_equal_chunk_sets_are_no_comparison(tmp_path) -> None:
    same = [reading(name, {RECALL: values}, chunks="x") for name, values in (("a", share(0, 40)), ("b", share(40, 40)))]
    found = decided(tmp_path, two(*same), rule="better_than", a=500, b=200)
    assert (found.outcome, found.reason.code, found.legs[0].pooled.n) == (CANNOT_TELL, "identical", 0)
    other = replace(same[1], rest="another prompt")
    assert decided(tmp_path, two(same[0], other), rule="better_than", a=500, b=200).outcome == CONFIRMED
    folded = decided(tmp_path, two(same[0], same[0]), rule="better_than", a=500, b=200)
    assert folded.reason.code == "identical", "two cells with one run"


def test_a_set_that_is_no_comparison_leaves_the_others(tmp_path) -> None:
    same = [reading(name, {RECALL: share(0, 40)}, chunks="x") for name in "ab"]
    runs = two(*same, (share(10, 80), share(70, 80)))
    found = decided(tmp_path, runs, rule="better_than", a=500, b=200)
    assert found.outcome == CONFIRMED
    assert [one.excluded for one in found.legs[0].sets] == ["identical", ""]


def test_faithfulness_at_its_ceiling_decides_nothing(tmp_path) -> None:
    runs = two({FAITHFUL: share(95, 100)}, {FAITHFUL: share(100, 100)})
    found = decided(tmp_path, runs, rule="better_than", a=500, b=200, metric=FAITHFUL)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "saturated")
    spread = two({FAITHFUL: share(60, 100)}, {FAITHFUL: share(100, 100)})
    assert decided(tmp_path, spread, rule="better_than", a=500, b=200, metric=FAITHFUL).outcome == CONFIRMED


def test_a_missing_run_and_an_unhealthy_one(tmp_path) -> None:
    found = decided(tmp_path, {("one", "200"): share(1, 40)}, rule="better_than", a=500, b=200)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "failed")
    ill = reading("ill", {RECALL: share(40, 40)})
    ill = replace(ill, summary=dict(ill.summary) | {"health": [f"{RECALL}: 11 of 40 failed"]})
    found = decided(tmp_path, two(share(0, 40), ill), rule="better_than", a=500, b=200)
    assert found.reason.code == "unhealthy"
    rules = replace(ill, summary=dict(ill.summary) | {"health": ["query: 5 of 40 questions planned without the reply"]})
    assert decided(tmp_path, two(share(0, 40), rules), rule="better_than", a=500, b=200).reason.code == "fell_back"
    other = replace(ill, summary=dict(ill.summary) | {"health": ["answer/completeness: 11 of 40 failed"]})
    assert decided(tmp_path, two(share(0, 40), other), rule="better_than", a=500, b=200).outcome == CONFIRMED
    empty = replace(ill, summary=dict(ill.summary) | {"health": ["no question was evaluated"]})
    found = decided(tmp_path, two(share(0, 40), empty), rule="better_than", a=500, b=200)
    assert found.reason.code == "unhealthy"
    assert decided(tmp_path, {}, rule="better_than", a=500, b=200).reason.code == "nothing_measured"


def test_a_baseline_that_asks_no_model_does_not_stand_against_one_that_does(tmp_path) -> None:
    def ran(name, values, llm):
        one = reading(name, {RECALL: values})
        return replace(one, summary=dict(one.summary) | {"variant": dict(one.summary["variant"]) | {"llm": llm}})

    needs = {"llm": ["gguf"]}
    asks = {"rule": "better_than", "a": 500, "b": 200, "needs": needs}
    runs = two(ran("plain", share(10, 80), "none"), ran("asks", share(70, 80), "gguf"))
    assert decided(tmp_path, runs, **asks).outcome == CONFIRMED
    for llm in ("none", "ollama"):
        runs = two(ran("plain", share(10, 80), "none"), ran("asks", share(70, 80), llm))
        assert decided(tmp_path, runs, **asks).reason.code == "needs_model"


def test_a_model_that_did_not_run_decides_nothing(tmp_path) -> None:
    runs = two(share(10, 80), share(70, 80))
    found = decided(tmp_path, runs, rule="better_than", a=500, b=200, needs={"generator": ["chat"]})
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "needs_model")
    assert found.legs[0].outcome == CONFIRMED, "the comparison is still shown"
    ok = decided(tmp_path, runs, rule="better_than", a=500, b=200, needs={"generator": ["chat", "extractive"]})
    assert ok.outcome == CONFIRMED
    whole = decided(tmp_path, runs, {"needs": {"generator": ["chat"]}}, rule="better_than", a=500, b=200)
    assert whole.reason.code == "needs_model"


def test_a_replaced_model_decides_nothing(tmp_path) -> None:
    one = reading("r", {RECALL: share(70, 80)})
    one = replace(one, summary=dict(one.summary) | {"fallback": ["retriever=sparse instead of hybrid"]})
    found = decided(tmp_path, two(share(10, 80), one), rule="better_than", a=500, b=200)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "replaced")


def test_a_judge_below_its_floor_decides_nothing_that_it_judged(tmp_path) -> None:
    values = {
        "a": {FAITHFUL: share(60, 100), RECALL: share(10, 100)},
        "b": {FAITHFUL: share(90, 100), RECALL: share(70, 100)},
    }

    def runs(reasons):
        made = [reading(name, of) for name, of in values.items()]
        return two(
            *(replace(one, summary=dict(one.summary) | {"judge_card": {"cannot_tell": reasons}}) for one in made)
        )

    asked = {"rule": "better_than", "a": 500, "b": 200}
    found = decided(tmp_path, runs(["the judge is below its floor in zh"]), metric=FAITHFUL, **asked)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "judge_below")
    assert decided(tmp_path, runs([]), metric=FAITHFUL, **asked).outcome == CONFIRMED
    assert decided(tmp_path, runs(["the judge is below its floor in zh"]), **asked).outcome == CONFIRMED


def test_a_part_about_some_questions(tmp_path) -> None:
    chinese = [float(at % 2 == 0) for at in range(80)]
    runs = two([0.5] * 80, chinese)
    zh = decided(tmp_path, runs, rule="better_than", a=500, b=200, language="zh")
    assert (zh.outcome, zh.legs[0].pooled.n, [one.name for one in zh.legs[0].languages]) == (CONFIRMED, 40, ["zh"])
    assert decided(tmp_path, runs, rule="better_than", a=500, b=200, language="en").outcome == REFUTED
    vague = decided(tmp_path, runs, rule="gain_at_most", a=500, b=200, margin=1, category="vague", language="zh")
    assert vague.legs[0].pooled.n == 14
    assert vague.reason.code == "too_few"
    nobody = decided(tmp_path, runs, rule="better_than", a=500, b=200, language="mixed")
    assert (nobody.outcome, nobody.reason.code) == (CANNOT_TELL, "no_pairs")


def curve(*rights: int, of: int = 100, name: str = "one"):
    return {(name, variant): share(n, of) for variant, n in zip(("200", "500", "800"), rights)}


@pytest.mark.parametrize(
    ("rights", "outcome", "code", "knee"),
    [
        ((20, 70, 70), CONFIRMED, "", "500"),
        ((20, 71, 70), CONFIRMED, "", "500"),
        ((20, 70, 72), CONFIRMED, "", "500"),
        ((70, 70, 70), REFUTED, "flat", "200"),
        ((70, 60, 40), REFUTED, "flat", "200"),
        ((10, 40, 90), REFUTED, "still_rising", "800"),
        ((50, 54, 52), CANNOT_TELL, "no_rise", "200"),
    ],
)
def test_knee(tmp_path, rights, outcome, code, knee) -> None:
    found = decided(tmp_path, curve(*rights), rule="knee", margin=0.06)
    assert (found.outcome, found.reason.code, found.facts["knee"]) == (outcome, code, knee)


def test_a_knee_with_too_much_left_above_it_is_not_told(tmp_path) -> None:
    found = decided(tmp_path, curve(20, 70, 74), rule="knee", margin=0.03)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "straddles")


def test_a_curve_over_two_chunk_sets_is_none(tmp_path) -> None:
    runs = {
        ("one", "200"): reading("a", {RECALL: share(10, 60)}, chunks="x"),
        ("one", "500"): reading("b", {RECALL: share(30, 60)}, chunks="y"),
        ("one", "800"): reading("c", {RECALL: share(30, 60)}, chunks="y"),
    }
    assert decided(tmp_path, runs, rule="knee", margin=0.05).reason.code == "identical"
    del runs["one", "800"]
    assert decided(tmp_path, runs, rule="knee", margin=0.05).reason.code == "nothing_measured"


def test_no_gain_above(tmp_path) -> None:
    assert decided(tmp_path, curve(20, 70, 70), rule="no_gain_above", value=500, margin=0.02).outcome == CONFIRMED
    found = decided(tmp_path, curve(20, 70, 71), rule="no_gain_above", value=200, margin=0.02)
    assert (found.outcome, [leg.a for leg in found.legs]) == (REFUTED, ["500", "800"])
    assert decided(tmp_path, curve(60, 62, 64), rule="no_gain_above", value=200, margin=0.02).outcome == CANNOT_TELL


def both(recall, faithful):
    variants = ("200", "500", "800")
    return {
        ("one", name): {RECALL: share(r, 100), FAITHFUL: share(f, 100)}
        for name, r, f in zip(variants, recall, faithful)
    }


@pytest.mark.parametrize(
    ("recall", "faithful", "outcome"),
    [
        ((20, 40, 80), (80, 40, 20), CONFIRMED),
        ((20, 40, 80), (20, 40, 80), REFUTED),
        ((20, 40, 80), (90, 40, 89), REFUTED),
        ((20, 40, 80), (60, 40, 57), CANNOT_TELL),
    ],
)
def test_best_differs(tmp_path, recall, faithful, outcome) -> None:
    check = {"rule": "best_differs", "metrics": [RECALL, FAITHFUL], "margin": 0.05}
    study = study_of(tmp_path, verdict=[check])
    found = decide(evidence_of(study, both(recall, faithful)), study.checks[0])
    assert found.outcome == outcome
    assert found.facts["best_by"][RECALL] == "800"


def test_best_differs_says_nothing_at_the_ceiling(tmp_path) -> None:
    study = study_of(tmp_path, verdict=[{"rule": "best_differs", "metrics": [RECALL, FAITHFUL], "margin": 0.05}])
    found = decide(evidence_of(study, both((20, 40, 80), (100, 99, 98))), study.checks[0])
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "saturated")


@pytest.mark.parametrize(("factor", "outcome"), [(300, CONFIRMED), (20, REFUTED), (3000, REFUTED), (100, CANNOT_TELL)])
def test_ratio_of_times(tmp_path, factor, outcome) -> None:
    check = {"rule": "ratio", "a": 500, "b": 200, "metric": "timing/split_ms", "low": 100, "high": 1000}
    study = study_of(tmp_path, verdict=[check])
    base = [1.0 + at / 10 for at in range(12)]
    slow = [factor * value * (0.8 if at % 2 else 1.2) for at, value in enumerate(base)]
    documents = tuple(f"d{at}" for at in range(12))
    times = {
        Cell("one", "", name): Timing(documents, tuple(ms), (1000,) * 12) for name, ms in (("200", base), ("500", slow))
    }
    evidence = replace(evidence_of(study, two(share(1, 3), share(2, 3))), timings=times)
    found = decide(evidence, study.checks[0])
    assert found.outcome == outcome
    assert math.exp(found.legs[0].pooled.mean) == pytest.approx(factor, rel=0.1)
    assert decide(replace(evidence, timings={}), study.checks[0]).reason.code == "failed"


def test_the_whole_claim() -> None:
    yes, no, unsure = (Checked(outcome, Reason()) for outcome in (CONFIRMED, REFUTED, CANNOT_TELL))
    assert verdict([yes, yes]) == CONFIRMED
    assert verdict([yes, unsure]) == CANNOT_TELL
    assert verdict([yes, unsure, no]) == REFUTED
    assert verdict([]) == CANNOT_TELL
