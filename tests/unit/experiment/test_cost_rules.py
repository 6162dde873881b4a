"""Gain per call of a model, a variant's own mean, and checks on a part of the questions."""

from dataclasses import replace

import pytest
import yaml

from ragbench.errors import Problems
from ragbench.experiment.analyse import analyse
from ragbench.experiment.cost_rules import CALLS
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED
from ragbench.experiment.read_study import read_study
from ragbench.experiment.readings import Column
from ragbench.experiment.rules import decide
from ragbench.report.experiment_words import Words
from tests.unit.experiment import RECALL, evidence_of, reading, study_data

N = 60
VARIANTS = {name: {"query": name} for name in ("none", "multi_query", "step_back", "adaptive")}


def study_of(folder, *checks, **changes):
    data = study_data(vary={"variants": VARIANTS}, baseline="none", metrics=[RECALL, CALLS], verdict=list(checks))
    path = folder / "calls.yaml"
    path.write_text(yaml.safe_dump(data | {"base": {"k": 5}} | changes, allow_unicode=True), encoding="utf-8")
    return read_study(path)


def run(name, right, calls, **more):
    """A run with so many of 60 questions right at so many calls each."""
    made = reading(name, {RECALL: [float(at < right) for at in range(N)]}, rest=name, **more)
    return replace(
        made, columns=made.columns | {CALLS: Column("question", {f"q{at}": float(calls) for at in range(N)})}
    )


def decided(folder, check, **runs):
    study = study_of(folder, {"metric": RECALL} | check)
    found = evidence_of(study, {("one", name): run(name, *two) for name, two in runs.items()})
    return decide(found, study.checks[0]), analyse(found, [])


ORDER = {"rule": "order_per_call", "over": "none", "among": ["multi_query", "step_back", "adaptive"]}


def test_a_smaller_gain_at_fewer_calls_is_the_better_value(tmp_path):
    found, _ = decided(tmp_path, ORDER, none=(10, 0), multi_query=(20, 4), step_back=(18, 1), adaptive=(30, 0.5))
    assert found.outcome == CONFIRMED
    first = found.legs[0]
    assert first.pooled.mean == pytest.approx(8 / 60 / 1 - 10 / 60 / 4), "gain ÷ calls, one minus the other"
    assert (first.a, first.b, first.metric) == ("step_back", "multi_query", f"per_call/{RECALL}")


def test_the_other_order_is_refuted_and_a_tie_cannot_be_told(tmp_path):
    turned, _ = decided(tmp_path, ORDER, none=(10, 0), multi_query=(50, 0.5), step_back=(18, 1), adaptive=(30, 0.5))
    assert turned.outcome == REFUTED
    near = decided(tmp_path, ORDER, none=(10, 0), multi_query=(20, 1), step_back=(21, 1), adaptive=(50, 0.5))
    assert near[0].outcome == CANNOT_TELL


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_calls_there_is_no_gain_per_call(tmp_path, lang):
    found, told = decided(tmp_path, ORDER, none=(10, 0), multi_query=(20, 0), step_back=(30, 0), adaptive=(40, 0))
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "no_calls")
    assert told["verdict"] == CANNOT_TELL
    line = Words(lang).verdict_line(told)
    assert {"en": "undefined", "zh": "无定义"}[lang] in line and "multi_query" in line


def test_calls_must_be_among_the_measures(tmp_path):
    with pytest.raises(Problems, match="cost/query_calls"):
        study_of(tmp_path, {"metric": RECALL} | ORDER, metrics=[RECALL])


@pytest.mark.parametrize(
    ("right", "outcome"), [(39, CONFIRMED), (3, REFUTED), (58, REFUTED), (26, CANNOT_TELL)]
)  # fmt: skip
def test_a_mean_lies_between_its_bounds_beside_them_or_cannot_be_told(tmp_path, right, outcome):
    check = {"rule": "mean_between", "variant": "adaptive", "low": 0.45, "high": 0.85}
    found, told = decided(tmp_path, check, none=(10, 0), adaptive=(right, 1))
    assert found.outcome == outcome
    assert found.legs[0].pooled.mean == pytest.approx(right / 60)
    assert "adaptive" in Words("zh").verdict_line(told)


def test_checks_may_choose_questions_by_split_and_turn(tmp_path):
    check = {"rule": "better_than", "a": "adaptive", "b": "none", "metric": RECALL}
    study = study_of(tmp_path, check | {"turn": "follow_up", "split": "test"}, check | {"turn": "follow_up"}, check)
    facets = {
        "turns": {f"q{at}": "follow_up" if at < 40 else "first_turn" for at in range(N)},
        "splits": {f"q{at}": "dev" if at < 15 else "test" for at in range(N)},
    }
    found = evidence_of(
        study, {("one", "none"): run("none", 0, 0, **facets), ("one", "adaptive"): run("a", 40, 0, **facets)}
    )
    pooled = [decide(found, one).legs[0].pooled for one in study.checks]
    assert [(one.n, one.mean) for one in pooled] == [(25, 1.0), (40, 1.0), (60, pytest.approx(2 / 3))]
    words = [Words("zh").check(row) for row in analyse(found, [])["checks"]]
    assert "测试集" in words[0] and "追问" in words[0] and "追问" not in words[2]


def test_an_unknown_facet_is_refused(tmp_path):
    with pytest.raises(Problems, match="difficulty"):
        study_of(
            tmp_path, {"rule": "better_than", "a": "none", "b": "adaptive", "metric": RECALL, "difficulty": "hard"}
        )
