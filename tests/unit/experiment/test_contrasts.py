"""Differences against the baseline, Holm over one set, trade-offs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbench.experiment.analyse import analyse
from ragbench.experiment.contrasts import contrasts, trade_offs
from ragbench.experiment.readings import Column
from ragbench.experiment.sets import MissingSet
from ragbench.stats.paired import holm
from tests.unit.experiment import FAITHFUL, RECALL, TOKENS, evidence_of, reading, share, study_of


@pytest.fixture
def evidence(tmp_path):
    runs = {
        ("one", "200"): {RECALL: share(20, 60), TOKENS: [100.0] * 60},
        ("one", "500"): {RECALL: share(50, 60), TOKENS: [300.0] * 60},
        ("one", "800"): {RECALL: share(20, 60), TOKENS: [100.0] * 60},
    }
    return evidence_of(study_of(tmp_path), runs)


def row(rows, variant, metric):
    return next(one for one in rows if (one["variant"], one["metric"]) == (variant, metric))


def test_each_variant_is_held_against_the_baseline(evidence) -> None:
    rows = contrasts(evidence)
    assert {one["variant"] for one in rows} == {"500", "800"}
    found = row(rows, "500", RECALL)
    assert found["mean"] == 0.5 and found["low"] > 0 and found["n"] == 60
    assert sorted(found["by_language"]) == ["en", "zh"]
    assert sum(one["n"] for one in found["by_category"].values()) == 60
    same = row(rows, "800", RECALL)
    assert (same["mean"], same["low"], same["high"], same["p"]) == (0, 0, 0, 1)
    assert FAITHFUL not in {one["metric"] for one in rows}, "a measure without values has no row"


def test_holm_runs_over_all_measures_and_variants_of_a_set(evidence) -> None:
    rows = contrasts(evidence)
    assert len(rows) == 4
    assert [one["p_holm"] for one in rows] == holm([one["p"] for one in rows])


def test_what_is_no_comparison_takes_no_part_in_holm(tmp_path) -> None:
    runs = {
        ("one", "200"): reading("a", {RECALL: share(20, 60)}, chunks="x"),
        ("one", "500"): reading("b", {RECALL: share(20, 60)}, chunks="x"),
    }
    (found,) = contrasts(evidence_of(study_of(tmp_path), runs))
    assert (found["excluded"], found["p_holm"]) == ("identical", None)


def test_better_in_one_and_worse_in_another_is_named(evidence) -> None:
    (found,) = trade_offs(contrasts(evidence))
    assert found["variant"] == "500"
    assert [one["metric"] for one in found["up"]] == [RECALL]
    assert [one["metric"] for one in found["down"]] == [TOKENS]


def test_a_value_on_one_side_alone_is_counted(tmp_path) -> None:
    one, other = (reading(name, {RECALL: share(9, 30)}) for name in "ab")
    fewer = dict(list(other.columns[RECALL].values.items())[:25])
    other = replace(other, columns=dict(other.columns) | {RECALL: Column("question", fewer, 2)})
    found = row(contrasts(evidence_of(study_of(tmp_path), {("one", "200"): one, ("one", "500"): other})), "500", RECALL)
    assert (found["n"], found["unpaired"], found["failed"]) == (25, 5, 2)


def test_the_result_says_what_was_missing_and_whether_overlap_was_held(evidence) -> None:
    found = analyse(evidence, [MissingSet("far", "unset", "far/x.json")])
    assert found["missing"] == [{"name": "far", "why": "unset", "detail": "far/x.json"}]
    assert found["overlap"] == [{"arm": "", "held": True, "values": {"200": 0, "500": 0, "800": 0}}]
    assert found["sets"][0]["languages"] == {"en": 30, "zh": 30}
    loose = {
        cell: replace(one, splitter={"overlap": int(cell.variant) // 10}) for cell, one in evidence.readings.items()
    }
    assert analyse(replace(evidence, readings=loose), [])["overlap"][0]["held"] is False


def test_nothing_ran(tmp_path) -> None:
    found = analyse(evidence_of(study_of(tmp_path), {}), [])
    assert (found["verdict"], found["contrasts"], found["points"]) == ("cannot_tell", [], [])
