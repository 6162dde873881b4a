"""Rules that choose, on runs made by hand: confirmed, refuted, and every way of not telling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbench.experiment.analyse import analyse
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED
from ragbench.experiment.plan import Cell
from ragbench.experiment.rules import decide
from tests.unit.experiment import RECALL, evidence_of, reading, share, study_of

SIZES = ("200", "500", "800")


def runs(*columns, name="one"):
    return {(name, variant): column for variant, column in zip(SIZES, columns)}


def decided(folder, found, tuning=None, **check):
    study = study_of(folder, verdict=[{"metric": RECALL} | check])
    evidence = evidence_of(study, found)
    if tuning:
        evidence = replace(evidence, tuning=evidence_of(study, tuning).readings)
    return decide(evidence, study.checks[0])


def test_tuning_gains_at_most(tmp_path) -> None:
    clear = runs(share(20, 100), share(80, 100), share(30, 100))
    found = decided(tmp_path, clear, rule="tuned_gain_at_most", value=500, margin=0.02)
    assert (found.outcome, found.facts["chosen"]) == (CONFIRMED, {"500": 1.0})
    found = decided(tmp_path, clear, rule="tuned_gain_at_most", value=200, margin=0.02)
    assert (found.outcome, found.legs[0].a, found.legs[0].b) == (REFUTED, "tuned", "200")
    near = runs(share(50, 100), share(53, 100), share(20, 100))
    assert decided(tmp_path, near, rule="tuned_gain_at_most", value=200, margin=0.02).outcome == CANNOT_TELL


def test_dev_chooses_where_there_is_one(tmp_path) -> None:
    told = runs(share(80, 100), share(20, 100), share(20, 100))
    dev = runs(share(0, 30), share(30, 30), share(0, 30))
    found = decided(tmp_path, told, dev, rule="tuned_gain_at_most", value=200, margin=0.0)
    assert (found.outcome, found.facts["chosen"]) == (CONFIRMED, {"500": 1.0}), "the choice of dev loses on test"
    small = runs(share(0, 19), share(19, 19), share(0, 19))
    halved = decided(tmp_path, told, small, rule="tuned_gain_at_most", value=200, margin=0.0)
    assert halved.facts["chosen"] == {"200": 1.0}, "under 20 questions of dev nothing is chosen on them"


def test_a_category_and_some_variants(tmp_path) -> None:
    code = [float(at % 3 == 0) for at in range(90)]
    found = runs(code, [1 - one for one in code], [0.2] * 90)
    vague = decided(tmp_path, found, rule="tuned_gain_at_most", value=200, margin=0.0, category="vague")
    assert (vague.outcome, vague.legs[0].pooled.n, vague.facts["chosen"]) == (CONFIRMED, 30, {"200": 1.0})
    other = decided(tmp_path, found, rule="tuned_gain_at_most", value=200, margin=0.0, category="lookup")
    assert (other.outcome, other.legs[0].pooled.n) == (REFUTED, 60)
    some = decided(tmp_path, found, rule="tuned_gain_at_most", value=800, margin=0.0, among=[200, 800])
    assert set(some.facts["chosen"]) == {"200"}
    nobody = decided(tmp_path, found, rule="tuned_gain_at_most", value=200, margin=0.0, category="no such")
    assert (nobody.outcome, nobody.reason.code) == (CANNOT_TELL, "no_pairs")


@pytest.mark.parametrize(
    ("value", "within", "outcome"),
    [(500, 0, CONFIRMED), (600, 100, CONFIRMED), (200, 100, REFUTED), (800, 299, REFUTED)],
)
def test_where_the_best_lies(tmp_path, value, within, outcome) -> None:
    found = runs(share(20, 100), share(80, 100), share(30, 100))
    assert decided(tmp_path, found, rule="best_near", value=value, within=within).outcome == outcome


def test_where_the_best_lies_is_not_told(tmp_path) -> None:
    flat = decided(
        tmp_path, runs(share(50, 100), share(50, 100), share(50, 100)), rule="best_near", value=500, within=50
    )
    assert (flat.outcome, flat.reason.code) == (CANNOT_TELL, "wide")
    assert (flat.facts["best_low"], flat.facts["best_high"]) == (200, 800)
    few = decided(tmp_path, runs(share(0, 19), share(19, 19), share(0, 19)), rule="best_near", value=500, within=50)
    assert (few.outcome, few.reason.code) == (CANNOT_TELL, "too_few")
    assert decided(tmp_path, {}, rule="best_near", value=500, within=50).reason.code == "nothing_measured"
    part = runs(share(10, 50), share(40, 50))
    assert decided(tmp_path, part, rule="best_near", value=500, within=50).reason.code == "nothing_measured"


def test_a_set_that_says_the_opposite(tmp_path) -> None:
    found = runs(share(0, 100), share(100, 100), share(0, 100))
    found |= runs(share(40, 100), share(0, 100), share(0, 100), name="two")
    one = decided(tmp_path, found, rule="best_near", value=500, within=50)
    assert (one.outcome, one.reason.code) == (CANNOT_TELL, "disagree")
    assert one.reason.values == {"yes": "one", "no": "two"}


def test_a_value_for_each_category(tmp_path) -> None:
    vague = [float(at % 3 == 0) for at in range(90)]
    differ = runs(vague, [1 - one for one in vague], [0.1] * 90)
    found = decided(tmp_path, differ, rule="category_gain", by=0.05)
    assert (found.outcome, found.legs[0].a) == (CONFIRMED, "tuned_by_category")
    alike = runs(share(20, 100), share(80, 100), share(30, 100))
    assert decided(tmp_path, alike, rule="category_gain").outcome == REFUTED


def test_an_unhealthy_run_is_not_chosen_from(tmp_path) -> None:
    ill = reading("ill", {RECALL: share(80, 100)})
    ill = replace(ill, summary=dict(ill.summary) | {"health": [f"{RECALL}: 11 of 40 failed"]})
    found = decided(
        tmp_path, runs(share(20, 100), ill, share(30, 100)), rule="tuned_gain_at_most", value=200, margin=0.02
    )
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "no_pairs")


def test_the_table_says_where_it_cannot_tell(tmp_path) -> None:
    study = study_of(tmp_path, verdict=[{"rule": "tuned_gain_at_most", "metric": RECALL, "value": 200, "margin": 0}])
    vague = [float(at % 3 == 0) for at in range(45)]
    evidence = evidence_of(study, runs(vague, [1 - one for one in vague], [0.1] * 45))
    rows = {row["category"]: row for row in analyse(evidence, [])["best"]}
    assert set(rows) == {"", "lookup", "vague"}
    assert (rows["lookup"]["best"], rows["lookup"]["says"], rows["lookup"]["n"]) == ("500", "better", 30)
    assert (rows["vague"]["best"], rows["vague"]["says"]) == ("200", "too_few")
    assert not rows[""]["apart"]
    flat = evidence_of(study, runs(share(20, 40), share(20, 40), share(20, 40)))
    assert {row["says"] for row in analyse(flat, [])["best"] if row["n"] >= 20} == {"cannot_tell"}
    assert analyse(evidence_of(study_of(tmp_path), runs(vague, vague, vague)), [])["best"] == [], "nothing is chosen"


def test_tuning_cells_are_not_told(tmp_path) -> None:
    assert str(Cell("one", "", "200", "dev")) == "one · 200 · dev"
