"""Classification figures against scikit-learn."""

import random

import pytest

from ragbench.measure.query.classification import accuracy, confusion, macro_f1

metrics = pytest.importorskip("sklearn.metrics")
CLASSES = ["simple_lookup", "multi_hop", "comparison", "decomposable", "ambiguous"]


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_scikit_learn(seed):
    rng = random.Random(seed)
    n = rng.randint(1, 80)
    gold = [rng.choice(CLASSES[: rng.randint(1, 5)]) for _ in range(n)]
    predicted = [rng.choice([label, label, *CLASSES, "abstained"]) for label in gold]
    labels = sorted(set(gold))
    every = sorted({*gold, *predicted})
    assert accuracy(gold, predicted) == pytest.approx(metrics.accuracy_score(gold, predicted), abs=1e-12)
    expected = metrics.f1_score(gold, predicted, average="macro", labels=labels, zero_division=0)
    assert macro_f1(gold, predicted) == pytest.approx(expected, abs=1e-12)
    matrix = metrics.confusion_matrix(gold, predicted, labels=every).tolist()
    found = confusion(gold, predicted)
    assert [[found[row][column] for column in every] for row in every] == matrix
