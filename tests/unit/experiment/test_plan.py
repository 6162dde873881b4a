"""Cells become points; one thing is varied; equal variants are run once."""

from __future__ import annotations

import pytest

from ragbench.errors import ConfigError, Problems
from ragbench.experiment.plan import Cell, given_overrides, make_plan
from ragbench.experiment.sets import ReadySet
from tests.unit.experiment import RECALL, study_of

SETS = [ReadySet("policy_zh", {"eval_set": "policy_zh"})]


def test_the_command_line_wins_over_the_file(tmp_path) -> None:
    planned = make_plan(study_of(tmp_path), SETS, {"overlap": "10%", "k": "3"})
    point = planned.points[Cell("policy_zh", "", "500")]
    assert point.experiment.variant["overlap"] == "10%" and point.experiment.variant["k"] == 3
    assert point.label == "policy_zh · 500"
    assert len(planned.points) == 3 and planned.cell_of(point).variant == "500"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("chunk_size=300", "not to be set: sizes varies it"),
        ("k=3,5", "expected one value, found a list"),
        ("k", "expected key=value"),
    ],
)
def test_a_second_varied_thing_is_refused(tmp_path, override, said) -> None:
    with pytest.raises(ConfigError, match=said):
        given_overrides(study_of(tmp_path), [override])


def test_equal_variants_are_run_once(tmp_path) -> None:
    planned = make_plan(study_of(tmp_path, base={"splitter": "whole"}), SETS, {})
    assert len(planned.points) == 1
    assert planned.same == {Cell("policy_zh", "", v): Cell("policy_zh", "", "200") for v in ("500", "800")}
    assert any("is the same variant as 200" in line for line in planned.notes)


def test_every_cell_that_cannot_be_composed_is_named(tmp_path) -> None:
    study = study_of(tmp_path, base={"overlap": 300})
    with pytest.raises(Problems) as error:
        make_plan(study, SETS, {})
    assert "200: overlap: expected less than chunk_size" in str(error.value)
    assert "500" not in error.value.problems[0] and "Nothing was computed" in str(error.value)


def test_measures_beyond_the_default_ones_are_asked_for(tmp_path) -> None:
    plain = make_plan(study_of(tmp_path), SETS, {})
    assert all(point.experiment.measures is None for point in plain.points.values())
    more = make_plan(study_of(tmp_path, metrics=[RECALL, "retrieval/recall@7"]), SETS, {})
    measures = next(iter(more.points.values())).experiment.measures
    assert "retrieval/recall@7" in measures and "answer/faithfulness" in measures


def test_arms_repeat_what_is_varied(tmp_path) -> None:
    arms = {"recursive": {"splitter": "recursive"}, "fixed": {"splitter": "fixed"}}
    study = study_of(
        tmp_path, base={}, arms=arms, verdict=[{"rule": "knee", "arm": "fixed", "metric": RECALL, "margin": 0.1}]
    )
    planned = make_plan(study, SETS, {})
    assert len(planned.points) == 6
    assert planned.points[Cell("policy_zh", "fixed", "500")].experiment.variant["splitter"] == "fixed"


TUNED = [{"rule": "tuned_gain_at_most", "metric": RECALL, "value": 200, "margin": 0.02}]


def test_values_are_chosen_on_dev_where_a_set_has_one(tmp_path) -> None:
    sets = [
        ReadySet("own", {"eval_set": "policy_zh"}, own_splits=True),
        ReadySet("drawn", {"eval_set": "product_en"}),
    ]
    planned = make_plan(study_of(tmp_path, verdict=TUNED), sets, {})
    splits = {str(cell): point.experiment.split for cell, point in planned.points.items() if cell.variant == "200"}
    assert splits == {"own · 200": "test", "own · 200 · dev": "dev", "drawn · 200": "all"}
    assert not planned.same
    plain = make_plan(study_of(tmp_path), sets, {})
    assert {point.experiment.split for point in plain.points.values()} == {"test"}
    assert len(plain.points) == 6
    given = make_plan(study_of(tmp_path, verdict=TUNED), sets, {"split": "dev"})
    assert {point.experiment.split for point in given.points.values()} == {"dev"}
    assert len(given.points) == 6, "whoever names a split gets that one alone"


def test_more_may_go_with_one_value(tmp_path) -> None:
    vary = {"key": "recall_k", "values": [1, 5], "with": {1: {"k": 1}}}
    study = study_of(
        tmp_path, base={}, vary=vary, baseline=5,
        verdict=[{"rule": "better_than", "a": 1, "b": 5, "metric": RECALL}],
    )  # fmt: skip
    assert dict(study.variants["1"]) == {"recall_k": "1", "k": "1"}
    planned = make_plan(study, SETS, {})
    assert {cell.variant: point.experiment.pipeline.flow.cuts.k for cell, point in planned.points.items()} == {
        "1": 1,
        "5": 5,
    }
    with pytest.raises(ConfigError, match="not to be set"):
        given_overrides(study, ["k=3"])


MODELS = {
    "reranker": ({"reranker": "none"}, {"reranker": "cross_encoder"}),
    "embedder": ({"retriever": "dense"}, {"retriever": "dense", "embedder": "sentence_transformers"}),
}


def models(folder, slot, model):
    plain, other = MODELS[slot]
    variants = {"plain": plain, "other": {**other, f"pipeline.{slot}.model": model}}
    return study_of(
        folder, base={}, vary={"variants": variants}, baseline="plain", optional=["other"],
        verdict=[{"rule": "better_than", "a": "other", "b": "plain", "metric": RECALL}],
    )  # fmt: skip


def test_an_optional_variant_may_ask_a_model_that_is_not_chosen_and_no_other_may(tmp_path) -> None:
    variants = {"offline": {"judge": "offline"}, "llm": {"judge": "llm"}}
    common = {"base": {}, "vary": {"variants": variants}, "baseline": "offline"}
    check = [{"rule": "better_than", "a": "llm", "b": "offline", "metric": RECALL}]
    planned = make_plan(study_of(tmp_path, optional=["llm"], verdict=check, **common), SETS, {})
    assert planned.unavailable == {Cell("policy_zh", "", "llm"): "(none is chosen: llm=…)"}
    assert list(planned.points) == [Cell("policy_zh", "", "offline")]
    with pytest.raises(Problems, match="expected a language model"):
        make_plan(study_of(tmp_path, verdict=check, **common), SETS, {})


@pytest.mark.parametrize("slot", MODELS)
def test_an_optional_variant_needs_its_model_on_the_machine(tmp_path, monkeypatch, slot) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    planned = make_plan(models(tmp_path, slot, "some/model"), SETS, {})
    assert planned.unavailable == {Cell("policy_zh", "", "other"): "some/model"}
    assert list(planned.points) == [Cell("policy_zh", "", "plain")]
    assert "other is not run: the model some/model is not on this machine" in planned.notes
    snapshot = tmp_path / "hub" / "models--some--model" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    assert make_plan(models(tmp_path, slot, "some/model"), SETS, {}).unavailable, "a folder without a model is none"
    (snapshot / "config.json").write_text("{}")
    assert not make_plan(models(tmp_path, slot, "some/model"), SETS, {}).unavailable
    (tmp_path / "local").mkdir()
    assert not make_plan(models(tmp_path, slot, str(tmp_path / "local")), SETS, {}).unavailable
