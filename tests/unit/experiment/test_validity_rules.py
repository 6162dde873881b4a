"""Which measure of retrieval goes with the answers: planted measures whose order is known."""

import random

import numpy as np
import pytest
import yaml
from scipy.stats import spearmanr

from ragbench.errors import Problems
from ragbench.experiment.analyse import analyse
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED
from ragbench.experiment.read_study import read_study
from ragbench.experiment.readings import Column
from ragbench.experiment.rules import decide
from ragbench.report.experiment_words import Words
from tests.unit.experiment import evidence_of, reading, study_data

MRR, MAP, F1, FAITHFUL = "ranking/mrr", "ranking/map", "answer/correctness_f1", "answer/faithfulness"
CHECK = {"rule": "tracks_better", "metrics": [MRR, MAP], "target": F1}
VARIANTS = {name: {"retriever": name} for name in ("sparse", "dense", "hybrid")}


def study_of(folder, check):
    data = study_data(vary={"variants": VARIANTS}, baseline="hybrid", metrics=[MRR, MAP, F1, FAITHFUL], verdict=[check])
    path = folder / "valid.yaml"
    path.write_text(yaml.safe_dump(data | {"base": {"k": 5}}, allow_unicode=True), encoding="utf-8")
    return read_study(path)


def run(name, noise_mrr, noise_map, seed, n, **more):
    """A run whose answers are random, and whose measures are those with so much noise."""
    drawn = random.Random(seed)
    truth = [drawn.random() for _ in range(n)]
    made = {F1: truth, FAITHFUL: truth}
    for metric, noise in ((MRR, noise_mrr), (MAP, noise_map)):
        made[metric] = [value + noise * drawn.gauss(0, 1) for value in truth]
    columns = {key: Column("question", {f"q{at}": value for at, value in enumerate(of)}) for key, of in made.items()}
    return reading(name, {F1: truth}, rest=name, **({"columns": columns} | more))


def decided(folder, noise_mrr, noise_map, n=60, check=CHECK, **more):
    study = study_of(folder, check)
    runs = {
        (name, variant): run(f"{name}-{variant}", noise_mrr, noise_map, f"{name}{variant}", n, **more)
        for name in ("one", "two")
        for variant in VARIANTS
    }
    found = evidence_of(study, runs)
    return decide(found, study.checks[0]), found, analyse(found, [])


@pytest.mark.parametrize(
    ("mrr", "mean", "outcome"), [(0.1, 1.0, CONFIRMED), (1.0, 0.1, REFUTED), (0.3, 0.3, CANNOT_TELL)]
)
def test_the_measure_with_less_noise_goes_better_with_the_answers(tmp_path, mrr, mean, outcome):
    found, evidence, told = decided(tmp_path, mrr, mean)
    assert found.outcome == outcome
    expected = {MRR: [], MAP: []}
    for name in ("one", "two"):
        runs = [one for cell, one in evidence.readings.items() if cell.eval_set == name]
        columns = {
            key: np.concatenate([list(one.columns[key].values.values()) for one in runs]) for key in (MRR, MAP, F1)
        }
        for key in expected:
            expected[key].append(spearmanr(columns[key], columns[F1]).statistic)
    for key, values in expected.items():
        assert found.facts["correlations"][key][0] == pytest.approx(np.mean(values), abs=1e-6), "that of scipy"
    assert found.legs[0].pooled.mean == pytest.approx(np.mean(expected[MRR]) - np.mean(expected[MAP]), abs=1e-5)
    assert found.legs[0].pooled.n == 120, "questions, each with all its variants"
    first = next(iter(found.facts["correlations"]))
    assert outcome == CANNOT_TELL or first == (MRR if outcome == CONFIRMED else MAP), "the best stands first"
    for lang in ("en", "zh"):
        assert "Spearman" in Words(lang).verdict_line(told)


def test_the_same_seed_gives_the_same_bits(tmp_path):
    assert decided(tmp_path, 0.3, 0.5)[0] == decided(tmp_path, 0.3, 0.5)[0]


def test_few_questions_and_measures_that_do_not_vary_decide_nothing(tmp_path):
    found, *_ = decided(tmp_path, 0.1, 1.0, n=5)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "too_few")
    flat = {key: Column("question", {f"q{at}": 1.0 for at in range(60)}) for key in (MRR, MAP, F1, FAITHFUL)}
    found, *_ = decided(tmp_path, 0, 0, columns=flat)
    assert found.outcome == CANNOT_TELL and found.facts["correlations"][MRR] == [None, None, None]


def test_a_judge_below_its_floor_decides_nothing_about_faithfulness(tmp_path):
    summary = {"variant": {"generator": "chat"}, "metrics": {}, "eval_set": {"split": "test"}}
    below = summary | {"judge_card": {"cannot_tell": ["x"]}}
    faithful = CHECK | {"target": FAITHFUL}
    found, *_ = decided(tmp_path, 0.1, 1.0, check=faithful, summary=below)
    assert (found.outcome, found.reason.code) == (CANNOT_TELL, "judge_below")
    assert found.legs[0].pooled.mean > 0, "shown all the same"
    assert decided(tmp_path, 0.1, 1.0, check=faithful, summary=summary)[0].outcome == CONFIRMED


def test_the_target_is_one_of_the_measures(tmp_path):
    with pytest.raises(Problems, match=r"verdict\[0\]\.target"):
        study_of(tmp_path, CHECK | {"target": "answer/completeness"})
