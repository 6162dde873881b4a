"""Experiment files: what is right is read, what is wrong is told in one line each, and every shipped file composes."""

from __future__ import annotations

import pytest

from ragbench.errors import DataError, Problems, RagbenchError
from ragbench.experiment.plan import make_plan
from ragbench.experiment.read_study import load_study, names, read_study
from ragbench.experiment.sets import ReadySet
from tests.unit.experiment import RECALL, study_data, study_of

SHIPPED = (
    "alpha", "chunk_size", "contextual", "four_schemes", "fusion", "language", "overlap", "recall_k", "rerank_gain", "splitter",
)  # fmt: skip


def test_a_file_is_read(tmp_path) -> None:
    study = study_of(tmp_path)
    assert (study.name, study.key, study.baseline, study.order) == ("sizes", "chunk_size", "200", ("200", "500", "800"))
    assert dict(study.variants["500"]) == {"chunk_size": "500"}
    assert study.checks[0].options == {"a": "500", "b": "200", "by": 0.0, "percent": 0.0}
    assert study.checks[0].arm == "" and not study.timed


def test_the_axis_is_ordered_by_number_and_absent_for_names(tmp_path) -> None:
    ratios = study_of(
        tmp_path, base={}, vary={"key": "overlap", "values": ["20%", 0, "10%"]}, baseline=0,
        verdict=[{"rule": "knee", "metric": RECALL, "margin": 0.1}],
    )  # fmt: skip
    assert dict(ratios.axis) == {"0": 0.0, "10%": 10.0, "20%": 20.0}
    named = study_of(
        tmp_path, vary={"variants": {"a": {"k": 1}, "b": {"k": None, "flag": True}}}, baseline="a",
        verdict=[{"rule": "better_than", "a": "a", "b": "b", "metric": RECALL}],
    )  # fmt: skip
    assert named.axis == {} and named.order == ("a", "b")
    assert dict(named.variants["b"]) == {"k": "null", "flag": "true"}


WRONG = [
    ({"claim": {"en": "x"}}, "claim.zh: expected a text, found null"),
    ({"vary": {"key": "chunk_size", "values": [200]}}, "values: expected at least two, found 1"),
    ({"vary": {"key": "k", "values": [1, 2], "variants": {}}}, "expected either key and values, or variants"),
    ({"vary": {"key": "chunk_size", "values": [200, 500, 200]}}, "vary.values: expected each value once"),
    ({"vary": {"kye": "k", "values": [200, 500]}}, "vary.kye: expected one of key, values, with, variants (did you mean key?)"),
    ({"baseline": 300}, "baseline: expected one of 200, 500, 800, found 300"),
    ({"base": {"chunk_size": 5}}, "base.chunk_size: expected a key that is not varied"),
    ({"eval_sets": []}, "eval_sets: expected a list"),
    ({"eval_sets": ["one", "one"]}, "eval_sets: expected each value once"),
    ({"eval_sets": [{"name": "x", "import": "squad"}]}, "eval_sets.import: expected a format and a path"),
    ({"eval_sets": [{"name": "x", "import": "squad ../up.json"}]}, "expected a path below the data folder"),
    ({"metrics": ["retrieval/recal@5"]}, "Did you mean retrieval/recall@k"),
    ({"verdict": [{"rule": "wins"}]}, "verdict[0].rule: expected one of better_than"),
    ({"verdict": ["x"]}, "verdict[0]: expected a mapping"),
    ({"verdict": [{"rule": "better_than", "a": 1, "b": 200, "metric": RECALL}]}, "verdict[0].a: expected one of 200"),
    ({"verdict": [{"rule": "knee", "metric": RECALL}]}, "verdict[0].margin: expected a number, found null"),
    ({"verdict": [{"rule": "knee", "metric": "retrieval/mrr", "margin": 1}]}, "verdict[0].metric: expected one of metrics"),
    ({"verdict": [{"rule": "no_gain_above", "metric": RECALL, "margin": 0, "value": 800}]}, "larger ones above it"),
    ({"verdict": [{"rule": "best_differs", "metrics": [RECALL], "margin": 0}]}, "metrics: expected 2 of them, found 1"),
    ({"verdict": [{"rule": "knee", "metric": "timing/split_ms", "margin": 0}]}, "expected timing/split_ms or timing/query_ms in a ratio"),
    ({"verdict": [{"rule": "knee", "metric": RECALL, "margin": 0, "arm": "x"}]}, "verdict[0].arm: expected"),
    ({"verdict": [{"rule": "knee", "metric": RECALL, "margin": 0, "sets": ["z"]}]}, "sets: expected some of one, two"),
    ({"verdict": [{"rule": "knee", "metric": RECALL, "margin": 0, "needs": {"generator": "chat"}}]}, "a list of options"),
    ({"arms": {"a": {}, "b": {}}}, "verdict[0].arm: expected one of a, b, found None"),
    ({"colour": 1}, "colour: expected one of claim"),
    ({"optional": [200]}, "optional: expected some of 500, 800, not the baseline, found 200"),
    ({"vary": {"key": "k", "values": [1, 2], "with": {3: {"recall_k": 3}}}, "baseline": 1}, "vary.with.3: expected one of 1, 2"),
    ({"verdict": [{"rule": "order", "metric": RECALL, "among": [200, 900]}]}, "among: expected some of 200, 500, 800, found 900"),
    ({"verdict": [{"rule": "order", "metric": RECALL, "among": [200]}]}, "among: expected at least two, found 200"),
    ({"verdict": [{"rule": "order", "metric": RECALL, "category": "vague"}]}, "category: expected one of rule"),
    ({"verdict": [{"rule": "steps", "metric": RECALL, "gains": [0.1], "factor": 2}]}, "gains: expected 2 of them, one a step"),
    ({"verdict": [{"rule": "steps", "metric": RECALL, "gains": ["x", 1], "factor": 2}]}, "gains: expected a list of numbers"),
    ({"verdict": [{"rule": "rises", "variant": 200, "metrics": [RECALL]}]}, "metrics: expected at least 2 of them, found 1"),
    ({"verdict": [{"rule": "best_near", "metric": RECALL, "within": 1}]}, "verdict[0].value: expected a number, found null"),
    ({"base": {"split": "all"}, "verdict": [{"rule": "tuned_gain_at_most", "metric": RECALL, "value": 200, "margin": 0}]}, "base.split: expected no split"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_is_wrong_is_named(tmp_path, change, said) -> None:
    with pytest.raises(Problems) as error:
        study_of(tmp_path, **change)
    assert said in str(error.value)


def test_everything_wrong_is_told_at_once(tmp_path) -> None:
    with pytest.raises(Problems) as error:
        study_of(tmp_path, baseline=1, metrics=[], eval_sets=None)
    assert len(error.value.problems) >= 3


@pytest.mark.parametrize("content", [b"a: [", b"\xff\xfe\x00", b"- 1\n", b""])
def test_a_file_that_is_no_mapping(tmp_path, content) -> None:
    (tmp_path / "x.yaml").write_bytes(content)
    with pytest.raises(DataError):
        read_study(tmp_path / "x.yaml")


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(DataError, match="Did you mean chunk_size"):
        load_study("chunk_sise")


def test_an_ordered_rule_needs_numbers(tmp_path) -> None:
    data = study_data(vary={"variants": {"a": {}, "b": {}}}, baseline="a")
    data["verdict"] = [{"rule": "knee", "metric": RECALL, "margin": 0}]
    with pytest.raises(Problems, match="a varied key with numbers"):
        study_of(tmp_path, **data)


def test_the_shipped_files_are_there() -> None:
    assert set(SHIPPED) <= set(names())


@pytest.mark.parametrize("name", names())
def test_every_shipped_file_composes(name) -> None:
    study = load_study(name)
    sets = [ReadySet("policy_zh", {"eval_set": "policy_zh"}), ReadySet("product_en", {"eval_set": "product_en"})]
    planned = make_plan(study, sets, {})
    there = len(planned.points) + len(planned.same) + len(planned.unavailable)
    assert there == 2 * len(study.arms) * len(study.variants)
    assert {cell.variant for cell in planned.unavailable} <= set(study.optional)
    asks_model = {slot for check in study.checks for slot in check.needs} >= {"llm"}
    assert not planned.same or asks_model, "two variants of a shipped file are one"
    assert all(point.experiment.measures is None or study.metrics for point in planned.points.values())


def test_recipes_are_commands_of_eval_set_import(tmp_path) -> None:
    import argparse

    from ragbench.cli import eval_set

    parser = argparse.ArgumentParser()
    eval_set.arguments(parser)
    recipes = {one for name in names() for one in load_study(name).sets if one.recipe}
    assert recipes
    for one in recipes:
        end = 1 + len(one.sources)
        found = parser.parse_args(["import", *one.recipe[:end], "target", *one.recipe[end:]])
        assert found.target == "target" and [str(path) for path in found.sources] == list(map(str, one.sources))


def test_errors_are_of_our_own_kind(tmp_path) -> None:
    with pytest.raises(RagbenchError):
        load_study(str(tmp_path / "none.yaml"))


def test_the_page_describes_every_rule_and_its_example_is_a_study(tmp_path, repo) -> None:
    import re

    from ragbench.experiment.forms import FORMS

    page = (repo / "docs" / "experiments.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+): ([^`]*)`", page, re.MULTILINE))
    assert told.keys() == FORMS.keys()
    for rule, form in FORMS.items():
        assert {*form.variants, *form.numbers, *form.lists, *form.choices} - {"percent"} <= set(
            re.findall(r"\w+", told[rule])
        ), rule
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "example.yaml").write_text(example, encoding="utf-8")
    assert read_study(tmp_path / "example.yaml").checks[0].arm == "recursive"
