"""Accuracy, macro-F1 and confusion of predicted labels."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import VariantCase
from ragbench.measure.query.complexity import is_abstention

ABSTAINED = "abstained"


def accuracy(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Share of equal labels, in [0, 1]. Raises ValueError for no labels or unequal lengths."""
    if not gold:
        raise ValueError("accuracy of no labels")
    return sum(a == b for a, b in zip(gold, predicted, strict=True)) / len(gold)


def confusion(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, dict[str, int]]:
    """Counts by gold label, then by predicted label; every label of either side is a row and a column, sorted."""
    labels = sorted({*gold, *predicted})
    counts = {row: dict.fromkeys(labels, 0) for row in labels}
    for truth, guess in zip(gold, predicted, strict=True):
        counts[truth][guess] += 1
    return counts


def macro_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Unweighted mean over the gold labels of F1 = 2·tp / (2·tp + fp + fn), in [0, 1].

    A label that is predicted but never gold (an abstention) has no F1 of its own and counts as a miss of the gold
    label.
    Source: scikit-learn `f1_score(average="macro", labels=gold labels, zero_division=0)`. Raises ValueError for no
    labels.
    """
    if not gold:
        raise ValueError("macro-F1 of no labels")
    scores = []
    for label in sorted(set(gold)):
        tp = sum(a == label and b == label for a, b in zip(gold, predicted, strict=True))
        wrong = sum((a == label) != (b == label) for a, b in zip(gold, predicted, strict=True))
        scores.append(2 * tp / (2 * tp + wrong))
    return sum(scores) / len(scores)


def complexity_labels(variant: VariantCase) -> tuple[list[str], list[str]]:
    """Gold and predicted classes of the questions that have both; an abstention is predicted as `abstained`."""
    gold: list[str] = []
    predicted: list[str] = []
    for question, view in variant.queries:
        if question.complexity and view is not None and view.tier not in ("", "none"):
            gold.append(question.complexity)
            predicted.append(ABSTAINED if is_abstention(view) else str(view.complexity))
    return gold, predicted


def complexity_macro_f1(variant: VariantCase) -> Outcome:
    """Macro-F1 of the predicted query classes over the questions with a class; n/a where nothing is predicted."""
    gold, predicted = complexity_labels(variant)
    return macro_f1(gold, predicted) if gold else not_applicable("no question has both a gold and a predicted class")
