"""Judges against people's labels, by figures of a card made by hand."""

from dataclasses import replace

import pytest
import yaml

from ragbench.errors import Problems
from ragbench.experiment.analyse import analyse
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED
from ragbench.experiment.plan import Cell
from ragbench.experiment.read_study import read_study
from ragbench.experiment.rules import decide
from ragbench.report.experiment_words import Words
from tests.unit.experiment import RECALL, evidence_of, study_data

CHECK = {"rule": "agrees", "variant": "offline", "people": "labels", "metric": "judge/auroc", "low": 0.75}


def study_of(folder, check):
    data = study_data(
        vary={"variants": {"offline": {"judge": "offline"}, "llm": {"judge": "llm"}}},
        baseline="offline", optional=["llm"], metrics=[RECALL], verdict=[check],
    )  # fmt: skip
    path = folder / "judges.yaml"
    path.write_text(yaml.safe_dump(data | {"base": {"k": 5}}, allow_unicode=True), encoding="utf-8")
    return read_study(path)


def card(value, low, high, n=200):
    figure = {"value": value, "low": low, "high": high, "bound": low, "n": n}
    row = {"measure": "auroc", "judge": figure, "overlap": {"value": 0.6}, "always": 0.5, "people": 0.8}
    return {"people": {"labels": {"title": "Labels", "language": "zh", "rows": [row]}}}


def decided(folder, known, check=CHECK, unavailable=()):
    study = study_of(folder, check)
    found = evidence_of(study, {("one", "offline"): [1.0] * 30})
    gone = {Cell("one", "", name): "llm=…" for name in unavailable}
    found = replace(found, cards={Cell("one", "", "offline"): known}, unavailable=gone)
    return decide(found, study.checks[0]), analyse(found, [])


@pytest.mark.parametrize(
    ("known", "outcome", "reason"),
    [
        (card(0.85, 0.78, 0.9), CONFIRMED, ""),
        (card(0.75, 0.75, 0.8), CONFIRMED, ""),
        (card(0.6, 0.5, 0.7), REFUTED, ""),
        (card(0.76, 0.7, 0.8), CANNOT_TELL, "straddles"),
        (card(0.9, 0.8, 0.95, n=12), CANNOT_TELL, "too_few"),
        (card(None, None, None), CANNOT_TELL, "no_labels"),
        ({"people": {}}, CANNOT_TELL, "no_labels"),
        (None, CANNOT_TELL, "no_labels"),
    ],
)
def test_the_interval_of_the_card_decides(tmp_path, known, outcome, reason):
    found, told = decided(tmp_path, known)
    assert (found.outcome, found.reason.code) == (outcome, reason)
    for lang, said in (("en", "labels"), ("zh", "labels")):
        assert said in Words(lang).verdict_line(told)
    if outcome != CANNOT_TELL:
        line = Words("en").verdict_line(told)
        assert "word overlap 0.600; people among themselves 0.800" in line
        assert f"{known['people']['labels']['rows'][0]['judge']['value']:.3f}" in line


def test_a_judge_without_its_model_is_not_put_to_the_test(tmp_path):
    found, told = decided(tmp_path, card(0.9, 0.8, 0.95), CHECK | {"variant": "llm"}, unavailable=["llm"])
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "unavailable")
    assert "llm=…" in Words("en").verdict_line(told)


def test_only_figures_of_cards_are_asked_of_judges_and_of_nothing_else(tmp_path):
    with pytest.raises(Problems, match="judge/auroc or judge/balanced_accuracy or judge/kappa"):
        study_of(tmp_path, CHECK | {"metric": RECALL})
    with pytest.raises(Problems, match=r"verdict\[0\]\.metric: expected a measure"):
        study_of(tmp_path, {"rule": "better_than", "a": "llm", "b": "offline", "metric": "judge/kappa"})
