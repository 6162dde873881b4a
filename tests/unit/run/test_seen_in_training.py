"""Questions that a trained classifier has seen."""

import pytest

from ragbench.assets import shipped
from ragbench.eval_set.load import EvalSet
from ragbench.records.question import Question
from ragbench.run.build import experiment
from ragbench.run.seen_in_training import seen_in_training

TEXTS = ("年假几天", "How many days?", "API 限流是多少")


def eval_set(name: str) -> tuple[EvalSet, tuple[Question, ...]]:
    rows = tuple(
        Question(str(at), text, split=split)
        for at, (text, split) in enumerate(zip(TEXTS, ("dev", "test", "dev"), strict=True))
    )
    return EvalSet(name, "v1", shipped("eval_sets") / name / "v1", rows, None), rows


@pytest.mark.parametrize("classifier", ["model", "tiered"])
@pytest.mark.parametrize("name", ["policy_zh", "product_en"])
def test_rows_of_the_training_split_are_counted(classifier: str, name: str) -> None:
    made, rows = eval_set(name)
    found = seen_in_training(experiment([f"eval_set={name}", f"classifier={classifier}"]), made, rows)
    expected = {"data": f"{name}/v1", "split": "dev", "n": 2, "of": 3}
    assert {row["label"]: {key: row[key] for key in expected} for row in found} == {
        "complexity": expected,
        "category": expected,
    }


def test_nothing_is_said_of_test_rows_rules_and_other_sets(tmp_path) -> None:
    made, rows = eval_set("policy_zh")
    trained = experiment(["classifier=model"])
    assert seen_in_training(trained, made, rows[1:2]) == []
    assert seen_in_training(experiment(["classifier=rules"]), made, rows) == []
    assert seen_in_training(trained, EvalSet("mine", "v1", tmp_path, rows, None), rows) == []
