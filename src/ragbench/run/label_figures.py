"""How well a model of labels does: accuracy, each label, confusion, and what abstaining gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragbench.measure.query.answerability import auroc, balanced_accuracy
from ragbench.measure.query.classification import accuracy, confusion, macro_f1
from ragbench.query.classifier.base import SIMPLE
from ragbench.run.label_fit import Costs, Decisions, Floats, Ints

CURVE = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_LISTED = 20
"""Of more labels neither confusion nor figures of each are told."""


def figures(
    probabilities: Floats, truth: Ints, labels: Sequence[str], found: Decisions, thresholds: Floats, costs: Costs
) -> dict[str, Any]:
    """Figures of decisions over rows; `thresholds` is that of each row. With two labels the second one's AUROC too."""
    gold = [labels[number] for number in truth]
    said = [labels[number] for number in found.label]
    told: dict[str, Any] = {
        "rows": len(gold),
        "accuracy": _short(accuracy(gold, said)),
        "macro_f1": _short(macro_f1(gold, said)),
        "commonest": _short(max(gold.count(label) for label in set(gold)) / len(gold)),
        "cost": _short(float(found.cost.mean())),
        "with_abstention": _abstaining(found, thresholds, costs),
        "curve": [_at(found, threshold) for threshold in CURVE],
    }
    if SIMPLE in labels:
        told["complex_as_simple"] = _short(_as_simple(gold, said))
    if len(labels) == 2:
        positive = [label == labels[1] for label in gold]
        if len(set(positive)) == 2:
            told["auroc"] = _short(auroc(positive, probabilities[:, 1].tolist()))
            told["balanced_accuracy"] = _short(balanced_accuracy(positive, (probabilities[:, 1] >= 0.5).tolist()))
    if len(set(gold)) <= _LISTED:
        told["per_label"] = {label: _one(label, gold, said) for label in sorted(set(gold))}
        told["confusion"] = confusion(gold, said)
    return told


def _abstaining(found: Decisions, thresholds: Floats, costs: Costs) -> dict[str, Any]:
    """What the calibrated thresholds give, where a held-out row's is that of the other folds."""
    sure = found.probability >= thresholds
    right = found.cost == 0
    return {
        "decided": _short(float(sure.mean())),
        "accuracy_decided": _short(float(right[sure].mean())) if sure.any() else None,
        "cost": _short(float(np.where(sure, found.cost, costs.abstain).mean())),
    }


def _at(found: Decisions, threshold: float) -> dict[str, Any]:
    sure = found.probability >= threshold
    right = float((found.cost == 0)[sure].mean()) if sure.any() else None
    return {
        "threshold": threshold,
        "decided": _short(float(sure.mean())),
        "accuracy_decided": None if right is None else _short(right),
    }


def _one(label: str, gold: Sequence[str], said: Sequence[str]) -> dict[str, Any]:
    both = sum(a == b == label for a, b in zip(gold, said, strict=True))
    n, n_said = gold.count(label), said.count(label)
    return {
        "rows": n,
        "precision": _short(both / n_said) if n_said else None,
        "recall": _short(both / n),
        "f1": _short(2 * both / (n + n_said)),
    }


def _as_simple(gold: Sequence[str], said: Sequence[str]) -> float:
    """Share of the complex rows that are taken for simple ones; 0 where there is none."""
    pairs = [b == SIMPLE for a, b in zip(gold, said, strict=True) if a != SIMPLE]
    return sum(pairs) / len(pairs) if pairs else 0.0


def _short(value: float) -> float:
    return round(value, 4)
