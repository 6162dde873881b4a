"""Where questions are lost: what the diagnosis says as columns, the share before generation, and what an oracle repairs."""

from dataclasses import replace

import pytest
import yaml

from ragbench.errors import Problems
from ragbench.evaluate.losses import Loss
from ragbench.experiment.analyse import analyse
from ragbench.experiment.diagnosed import BEFORE, diagnosis_values
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED
from ragbench.experiment.read_study import read_study
from ragbench.experiment.readings import Column
from ragbench.experiment.rules import decide
from ragbench.experiment.study import BEFORE_GENERATION, RIGHT
from ragbench.report.experiment_words import Words
from tests.unit.experiment import RECALL, evidence_of, reading, study_data

N = 100
SHARE = {"rule": "mean_between", "variant": "real", "metric": BEFORE_GENERATION, "low": 0.7, "high": 0.9}
REPAIRED = {"rule": "repaired_between", "a": "oracle", "b": "real", "metric": RIGHT, "low": 0.7, "high": 0.9}


def study_of(folder, *checks):
    variants = {"real": {"flow": "one_shot"}, "oracle": {"flow": "oracle"}}
    data = study_data(vary={"variants": variants}, baseline="real", metrics=[RECALL], verdict=list(checks))
    path = folder / "lost.yaml"
    path.write_text(yaml.safe_dump(data | {"base": {"k": 5}}, allow_unicode=True), encoding="utf-8")
    return read_study(path)


def run(name, losses, **more):
    """A run with these classes, question by question."""
    made = reading(name, {RECALL: [1.0] * len(losses)}, rest=name, **more)
    by_question = {f"q{at}": str(loss) for at, loss in enumerate(losses)}
    columns = {
        key: Column("question", values)
        for key, values in diagnosis_values({"diagnosis_by_question": by_question}).items()
    }
    return replace(made, columns=made.columns | columns)


def losses(n_before, n_after, n_ok):
    """So many lost before generation, after it, and not at all, spread over both languages."""
    return [Loss.NOT_RECALLED] * n_before + [Loss.UNFAITHFUL] * n_after + [Loss.OK] * n_ok


def decided(folder, check, real, oracle=None, **more):
    study = study_of(folder, check)
    runs = {("one", "real"): run("real", real, **more)}
    if oracle is not None:
        runs["one", "oracle"] = run("oracle", oracle, **more)
    found = evidence_of(study, runs)
    return decide(found, study.checks[0]), analyse(found, [])


def test_every_class_has_its_side_and_the_undecided_are_left_out():
    found = diagnosis_values({"diagnosis_by_question": {str(loss): str(loss) for loss in Loss}})
    assert found[RIGHT].keys() == {str(loss) for loss in Loss} - {"unjudged"}
    assert [key for key, value in found[RIGHT].items() if value] == ["ok"]
    assert found[BEFORE_GENERATION].keys() == {str(loss) for loss in Loss} - {"unjudged", "ok", "failed"}
    assert {key for key, value in found[BEFORE_GENERATION].items() if value} == set(map(str, BEFORE))
    assert diagnosis_values({}) == {RIGHT: {}, BEFORE_GENERATION: {}}


@pytest.mark.parametrize(
    ("before", "after", "outcome"), [(80, 20, CONFIRMED), (40, 60, REFUTED), (100, 0, REFUTED), (70, 30, CANNOT_TELL)]
)
def test_the_share_of_losses_before_generation(tmp_path, before, after, outcome):
    found, told = decided(tmp_path, SHARE, losses(before, after, 30))
    assert found.outcome == outcome
    assert found.legs[0].pooled.mean == pytest.approx(before / (before + after)) and found.legs[0].pooled.n == N
    point = told["points"][0]
    assert point["metrics"][BEFORE_GENERATION]["mean"] == pytest.approx(before / N)
    assert "diagnosis" in Words("en").verdict_line(told) and "诊断" in Words("zh").verdict_line(told)


@pytest.mark.parametrize(("right", "outcome"), [(80, CONFIRMED), (30, REFUTED), (70, CANNOT_TELL)])
def test_what_an_oracle_repairs_of_the_lost_questions(tmp_path, right, outcome):
    oracle = [Loss.OK] * right + [Loss.INCOMPLETE] * (N - right) + [Loss.UNUSED] * 30
    found, _ = decided(tmp_path, REPAIRED, losses(60, 40, 30), oracle)
    assert found.outcome == outcome
    assert found.legs[0].pooled.mean == pytest.approx(right / N), (
        "of the hundred lost ones; the thirty right ones do not count"
    )


@pytest.mark.parametrize("check", [SHARE, REPAIRED])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_judge_below_its_floor_decides_nothing_and_its_figure_is_shown(tmp_path, check, lang):
    below = {
        "variant": {"generator": "chat"}, "metrics": {}, "eval_set": {"split": "test"}, "judge_card": {"cannot_tell": ["x"]},
    }  # fmt: skip
    found, told = decided(tmp_path, check, losses(80, 20, 30), [Loss.OK] * 130, summary=below)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "judge_below")
    assert found.legs[0].pooled.n == N and found.legs[0].sets[0].excluded == "judge_below"
    line = Words(lang).verdict_line(told)
    assert {"en": "below its floor", "zh": "低于下限"}[lang] in line and "n 100" in line


def test_what_the_diagnosis_says_is_read_by_the_rules_it_is_for(tmp_path):
    with pytest.raises(Problems, match=r"verdict\[0\]\.metric: expected diagnosis/right or .* in one of better_than"):
        study_of(tmp_path, {"rule": "order", "metric": RIGHT})
    with pytest.raises(Problems, match="diagnosis/wrong"):
        study_of(tmp_path, SHARE | {"metric": "diagnosis/wrong"})
