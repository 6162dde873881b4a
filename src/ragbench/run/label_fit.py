"""Fitting a model of labels with scikit-learn, and calibrating what it says on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.errors import MissingExtra
from ragbench.query.classifier.base import SIMPLE
from ragbench.query.classifier.form import FORM
from ragbench.query.classifier.label_model import decided, softmax

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FORM_SCALE = 0.2
_STEPS = 5000
_DIGITS = 6
_UNSEEN = -50.0
"""Logit of a label that no row of the fit has."""


@dataclass(frozen=True)
class Costs:
    """What errors cost where the threshold is chosen: taking a complex question for `simple_lookup` `simple`, any other
    error 1, and abstaining `abstain`."""

    simple: float = 2.0
    abstain: float = 0.5


@dataclass(frozen=True)
class Settings:
    """How a model is fitted: the inverse of the penalty's weight, whether counts of the form stand behind the vectors,
    the number of folds, and the costs."""

    strength: float = 30.0
    form: bool = True
    folds: int = 5
    costs: Costs = Costs()


def learner() -> Any:
    """The logistic regression of scikit-learn; raises MissingExtra where that is not installed."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtra("scikit-learn", "train", "ragbench classifier train") from error
    return LogisticRegression


def fit(rows: Floats, labels: Ints, n_labels: int, settings: Settings) -> tuple[Floats, Floats]:
    """Weights [labels, features] and bias [labels] of a multinomial logistic regression.

    Vectors are centred; counts (the last 10 columns) are scaled to a standard deviation of 0.2, chosen by held-out
    folds of the shipped dev questions. Both are folded into what is returned. One thread, so that equal rows give
    equal bits.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    regression = learner()
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    scale = np.ones(rows.shape[1])
    if settings.form:
        counts = deviation[-len(FORM) :]
        scale[-len(FORM) :] = np.where(counts > 0, _FORM_SCALE / np.where(counts > 0, counts, 1), 0)
    with threadpool_limits(1):
        model = regression(C=settings.strength, max_iter=_STEPS).fit((rows - mean) * scale, labels)
    coefficients, intercepts = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        coefficients, intercepts = np.vstack([-coefficients, coefficients]) / 2, np.append(-intercepts, intercepts) / 2
    weights, bias = np.zeros((n_labels, rows.shape[1])), np.full(n_labels, _UNSEEN)
    weights[model.classes_] = coefficients * scale
    bias[model.classes_] = intercepts - (coefficients * scale) @ mean
    return weights, bias


def temperature(logits: Floats, labels: Ints) -> float:
    """The number that logits are divided by for the least log loss on held-out rows, within 0.05 to 20.

    Source: Guo et al. 2017, arXiv:1706.04599.
    """
    from scipy.optimize import minimize_scalar

    def loss(log_t: float) -> float:
        chosen = softmax(logits / np.exp(log_t))[np.arange(len(labels)), labels]
        return float(-np.log(np.maximum(chosen, 1e-12)).mean())

    best = minimize_scalar(loss, bounds=(np.log(0.05), np.log(20)), method="bounded", options={"xatol": 1e-4})
    return round(float(np.exp(best.x)), 4)


@dataclass(frozen=True)
class Decisions:
    """Of each row the label decided for, its probability, and what it costs (0 where it is right)."""

    label: Ints
    probability: Floats
    cost: Floats

    def cost_with(self, threshold: float, abstain: float) -> float:
        """Mean cost where decisions below the threshold are abstentions."""
        return float(np.where(self.probability >= threshold, self.cost, abstain).mean())


def decisions(probabilities: Floats, truth: Ints, labels: Sequence[str], costs: Costs) -> Decisions:
    """Decisions of least expected cost against the true labels (-1: one that the model does not know)."""
    chosen = np.array([decided(row, labels, costs.simple) for row in probabilities], dtype=np.int64)
    price = np.array([costs.simple if label == SIMPLE else 1.0 for label in labels])[chosen]
    return Decisions(chosen, probabilities[np.arange(len(chosen)), chosen], np.where(chosen == truth, 0.0, price))


def best_threshold(found: Decisions, abstain: float) -> float:
    """The threshold of least mean cost among 0, the middles between neighbouring probabilities, and 1; the lowest of
    equal ones. Source: the reject option of Chow 1970, with the errors' costs as they were and not as expected."""
    steps = np.unique(found.probability)
    middles = (steps[1:] + steps[:-1]) / 2
    candidates = [0.0, *np.round(middles, 4).tolist(), 1.0]
    return float(min(candidates, key=lambda value: (found.cost_with(value, abstain), value)))


def rounded(values: Floats) -> list[float] | list[list[float]]:
    """Six significant digits, as lists."""
    shown = np.array([float(f"{value:.{_DIGITS}g}") for value in values.ravel()]).reshape(values.shape)
    plain: list[float] | list[list[float]] = shown.tolist()
    return plain
