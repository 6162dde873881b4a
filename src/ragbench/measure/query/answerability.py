"""How well it is predicted whether a question can be answered at all."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import VariantCase

_ONE_SIDED = "predicted for no two questions of which one can be answered and one cannot"


def auroc(positive: Sequence[bool], scores: Sequence[float]) -> float:
    """Probability that a positive has a higher score than a negative, ties counting one half, in [0, 1].

    Source: Hanley & McNeil 1982; the Mann-Whitney statistic over both counts. Raises ValueError unless both kinds are
    there.
    """
    ups = sorted(score for score, is_up in zip(scores, positive, strict=True) if is_up)
    downs = sorted(score for score, is_up in zip(scores, positive, strict=True) if not is_up)
    if not ups or not downs:
        raise ValueError("AUROC needs positives and negatives")
    below = equal = won = 0
    for score in ups:
        while below < len(downs) and downs[below] < score:
            below += 1
        equal = max(equal, below)
        while equal < len(downs) and downs[equal] == score:
            equal += 1
        won += below + equal
    return won / (2 * len(ups) * len(downs))


def balanced_accuracy(truth: Sequence[bool], said: Sequence[bool]) -> float:
    """Mean of the shares of positives and of negatives that are told right, in [0, 1]; 0.5 is chance.

    Source: scikit-learn `balanced_accuracy_score`. Raises ValueError unless both kinds are there.
    """
    shares = []
    for kind in (True, False):
        own = [a == b for a, b in zip(truth, said, strict=True) if a == kind]
        if not own:
            raise ValueError("balanced accuracy needs positives and negatives")
        shares.append(sum(own) / len(own))
    return sum(shares) / 2


def answerable_auroc(variant: VariantCase) -> Outcome:
    """AUROC of the predicted probability that a question can be answered; n/a unless predicted for both kinds."""
    truth, scores = _predicted(variant)
    return auroc(truth, scores) if len(set(truth)) == 2 else not_applicable(_ONE_SIDED)


def answerable_balanced_accuracy(variant: VariantCase) -> Outcome:
    """Balanced accuracy of saying that a question can be answered where its probability is at least 0.5; n/a as
    `answerable_auroc`."""
    truth, scores = _predicted(variant)
    if len(set(truth)) < 2:
        return not_applicable(_ONE_SIDED)
    return balanced_accuracy(truth, [score >= 0.5 for score in scores])


def _predicted(variant: VariantCase) -> tuple[list[bool], list[float]]:
    pairs = [
        (question.answerable, view.answerable)
        for question, view in variant.queries
        if view is not None and view.answerable is not None
    ]
    return [truth for truth, _ in pairs], [score for _, score in pairs]
