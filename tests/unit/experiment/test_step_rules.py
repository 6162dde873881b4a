"""Rules about variants in a row, ends of a range and measures of one variant, on runs made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED
from ragbench.experiment.plan import Cell
from ragbench.experiment.readings import Column
from ragbench.experiment.rules import decide
from tests.unit.experiment import RECALL, evidence_of, reading, share, study_of

PRECISION, SECOND = "retrieval/precision@5", "retrieval/recall@10"


def three(*rights: int, of: int = 100, name: str = "one"):
    return {(name, variant): share(n, of) for variant, n in zip(("200", "500", "800"), rights)}


def decided(folder, runs, change=None, **check):
    study = study_of(folder, verdict=[{"metric": RECALL} | check], **(change or {}))
    return decide(evidence_of(study, runs), study.checks[0])


@pytest.mark.parametrize(
    ("rights", "outcome"),
    [((20, 50, 80), CONFIRMED), ((20, 80, 50), REFUTED), ((20, 22, 80), CANNOT_TELL), ((80, 50, 52), REFUTED)],
)
def test_order(tmp_path, rights, outcome) -> None:
    found = decided(tmp_path, three(*rights), rule="order")
    assert found.outcome == outcome
    assert [(leg.a, leg.b) for leg in found.legs] == [("500", "200"), ("800", "500")]


def test_order_by_and_among(tmp_path) -> None:
    runs = three(20, 50, 80)
    assert decided(tmp_path, runs, rule="order", by=0.6).outcome == REFUTED
    found = decided(tmp_path, runs, rule="order", among=[800, 200])
    assert (found.outcome, [(leg.a, leg.b) for leg in found.legs]) == (REFUTED, [("200", "800")])


@pytest.mark.parametrize(
    ("gains", "outcome"),
    [([0.3, 0.3], CONFIRMED), ([0.3, 0.05], REFUTED), ([0.9, 0.3], REFUTED), ([0.3, 0.14], CANNOT_TELL)],
)
def test_steps_have_the_size_that_is_claimed(tmp_path, gains, outcome) -> None:
    found = decided(tmp_path, three(20, 50, 80), rule="steps", gains=gains, factor=2)
    assert found.outcome == outcome
    assert found.legs[0].test.low == pytest.approx(gains[0] / 2)


def test_a_step_down_may_be_claimed_as_well(tmp_path) -> None:
    found = decided(tmp_path, three(80, 50, 20), rule="steps", gains=[-0.3, -0.3], factor=2)
    assert found.outcome == CONFIRMED


def test_both_ends_beaten(tmp_path) -> None:
    assert decided(tmp_path, three(20, 80, 20), rule="beats_both_ends", value=500).outcome == CONFIRMED
    assert decided(tmp_path, three(20, 80, 95), rule="beats_both_ends", value=500).outcome == REFUTED
    assert decided(tmp_path, three(20, 80, 79), rule="beats_both_ends", value=500).outcome == CANNOT_TELL
    assert decided(tmp_path, three(20, 30, 20), rule="beats_both_ends", value=500, by=0.5).outcome == REFUTED


def test_flat_around(tmp_path) -> None:
    assert decided(tmp_path, three(50, 50, 51), rule="flat_around", value=500, margin=0.05).outcome == CONFIRMED
    assert decided(tmp_path, three(50, 50, 90), rule="flat_around", value=500, margin=0.05).outcome == REFUTED
    assert decided(tmp_path, three(10, 50, 50), rule="flat_around", value=500, margin=0.05).outcome == REFUTED
    left = decided(tmp_path, three(10, 50, 50), rule="flat_around", value=500, margin=0.05, among=[500, 800])
    assert left.outcome == CONFIRMED


def of_measures(folder, first, second, **check):
    study = study_of(folder, metrics=[RECALL, SECOND], verdict=[{"variant": 200, "metrics": [RECALL, SECOND]} | check])
    one = reading("r", {RECALL: first})
    column = Column("question", {f"q{at}": float(v) for at, v in enumerate(second)})
    one = replace(one, columns={**one.columns, SECOND: column})
    return decide(evidence_of(study, {("one", "200"): one}), study.checks[0])


def test_measures_of_one_variant_rise_and_fall(tmp_path) -> None:
    assert of_measures(tmp_path, share(20, 80), share(60, 80), rule="rises").outcome == CONFIRMED
    assert of_measures(tmp_path, share(20, 80), share(60, 80), rule="falls").outcome == REFUTED
    assert of_measures(tmp_path, share(60, 80), share(20, 80), rule="falls").outcome == CONFIRMED
    assert of_measures(tmp_path, share(60, 80), share(60, 80), rule="rises").outcome == REFUTED
    assert of_measures(tmp_path, share(60, 80), share(62, 80), rule="rises").outcome == CANNOT_TELL
    leg = of_measures(tmp_path, share(20, 80), share(60, 80), rule="rises").legs[0]
    assert (leg.a, leg.b, leg.pooled.n, leg.pooled.mean) == (SECOND, RECALL, 80, 0.5)
    leg = of_measures(tmp_path, share(60, 80), share(20, 80), rule="falls").legs[0]
    assert leg.pooled.mean == -0.5, "shown as it is"
    assert of_measures(tmp_path, share(60, 80), share(20, 80), rule="falls", by=0.9).outcome == REFUTED


def test_a_variant_that_did_not_finish_has_no_measures(tmp_path) -> None:
    study = study_of(
        tmp_path, metrics=[RECALL, SECOND], verdict=[{"rule": "rises", "variant": 800, "metrics": [RECALL, SECOND]}]
    )
    found = decide(evidence_of(study, {("one", "200"): share(1, 40)}), study.checks[0])
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "failed")


def ratio(folder, one, other, **check):
    study = study_of(folder, verdict=[{"rule": "ratio", "a": 500, "b": 200, "low": 1.1, "high": 1.5} | check])
    evidence = evidence_of(study, {("one", "200"): one, ("one", "500"): other})
    return evidence, study.checks[0]


def test_a_ratio_of_means_counts_zeros(tmp_path) -> None:
    found = decide(*ratio(tmp_path, share(200, 400), share(260, 400), metric=RECALL))
    assert found.outcome == CONFIRMED
    assert found.legs[0].pooled.n == 400, "questions with 0 in both stay in"
    assert decide(*ratio(tmp_path, share(50, 100), share(95, 100), metric=RECALL)).outcome == REFUTED


def test_times_of_questions_by_percentile(tmp_path) -> None:
    evidence, check = ratio(tmp_path, share(1, 40), share(2, 40), metric="timing/query_ms", percentile=95)
    fast = {f"q{at}": 10.0 + at % 5 for at in range(60)}
    slow = {key: ms * (9.0 if key == "q0" else 1.3) for key, ms in fast.items()}
    cells = [Cell("one", "", name) for name in ("200", "500")]
    timed = replace(evidence, query_ms=dict(zip(cells, (fast, slow))))
    assert decide(timed, check).outcome == CONFIRMED
    assert decide(timed, replace(check, options=dict(check.options) | {"percentile": 100.0})).outcome != CONFIRMED
    assert decide(evidence, check).reason.code == "failed"
    few = {key: fast[key] for key in list(fast)[:10]}
    assert decide(replace(evidence, query_ms=dict(zip(cells, (few, few)))), check).reason.code == "too_few"


def test_an_optional_variant_without_its_model_decides_nothing(tmp_path) -> None:
    for rule in (
        {"rule": "better_than", "a": 500, "b": 200},
        {"rule": "ratio", "a": 500, "b": 200, "low": 1, "high": 2},
    ):
        study = study_of(tmp_path, verdict=[{"metric": RECALL} | rule], optional=[500])
        evidence = evidence_of(study, {("one", "200"): share(10, 40)})
        evidence = replace(evidence, unavailable={Cell("one", "", "500"): "hub/model"})
        found = decide(evidence, study.checks[0])
        assert (found.outcome, found.reason.code) == (CANNOT_TELL, "unavailable")
