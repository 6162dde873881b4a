"""Classification figures against scikit-learn."""

import random

import pytest

from ragbench.measure.query.answerability import auroc, balanced_accuracy
from ragbench.measure.query.classification import accuracy, confusion, macro_f1

CLASSES = ["simple_lookup", "multi_hop", "comparison", "decomposable", "ambiguous"]


@pytest.fixture(scope="module")
def metrics():
    """Not imported where tests are only collected: it takes seconds, in every process of a suite."""
    return pytest.importorskip("sklearn.metrics")


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_scikit_learn(metrics, seed):
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


@pytest.mark.parametrize("seed", range(20))
def test_two_labels_agree_with_scikit_learn(metrics, seed):
    rng = random.Random(seed)
    truth = [True, False, *(rng.random() < 0.3 for _ in range(rng.randint(0, 60)))]
    scores = [round(rng.random(), rng.randint(1, 3)) for _ in truth]
    assert auroc(truth, scores) == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-12)
    said = [score >= 0.5 for score in scores]
    assert balanced_accuracy(truth, said) == pytest.approx(metrics.balanced_accuracy_score(truth, said), abs=1e-12)


@pytest.mark.parametrize("n_labels", [2, 4])
def test_a_fitted_model_says_what_scikit_learn_says(n_labels):
    pytest.importorskip("sklearn")
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    from ragbench.query.classifier.label_model import softmax
    from ragbench.run.label_fit import Settings, fit

    rng = np.random.default_rng(n_labels)
    rows, labels = rng.normal(size=(60, 8)), rng.integers(0, n_labels, 60)
    weights, bias = fit(rows, labels, n_labels, Settings(strength=2.0, form=False))
    expected = LogisticRegression(C=2.0, max_iter=5000).fit(rows - rows.mean(axis=0), labels)
    found = softmax(rows @ weights.T + bias)
    assert np.abs(found - expected.predict_proba(rows - rows.mean(axis=0))).max() < 1e-9
