"""Probabilities from scores: Platt's logistic fit, and how good probabilities are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragbench.core.scale import logistic
from ragbench.errors import DataError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def fit_platt(scores: Floats, relevant: Bools) -> tuple[float, float]:
    """`(a, b)` of `p = 1 / (1 + exp(-(a·s + b)))` with the least log loss, a above 0.

    The targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) instead of 1 and 0, so that scores that part both classes give a
    finite fit. Source: Platt (1999); Lin, Lin and Weng (2007). Raises DataError where a class is missing, all scores
    are equal, or scores do not rise with relevance.
    """
    from scipy.optimize import minimize

    n_yes, n_no = int(relevant.sum()), int((~relevant).sum())
    if not n_yes or not n_no:
        raise DataError("calibration", expected="relevant and irrelevant chunks", found=f"{n_yes} and {n_no}")
    middle, spread = float(scores.mean()), float(scores.std())
    if spread < 1e-12:
        raise DataError("calibration", expected="scores that differ", found=f"{middle:g} for every chunk")
    target = np.where(relevant, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))
    x = (scores - middle) / spread

    def loss(at: Floats) -> tuple[float, Floats]:
        z = at[0] * x + at[1]
        gap = logistic(z) - target
        return float(np.mean(np.logaddexp(0, z) - target * z)), np.array([np.mean(gap * x), np.mean(gap)])

    slope, offset = minimize(loss, np.array([1.0, 0.0]), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    a, b = float(slope / spread), float(offset - slope * middle / spread)
    if a <= 0:
        raise DataError("calibration", expected="scores that rise with relevance", found=f"a = {a:.4g}")
    return a, b


def probabilities(scores: Floats, a: float, b: float) -> Floats:
    """`1 / (1 + exp(-(a·s + b)))`, same shape."""
    return logistic(a * scores + b)


def cross_fitted(scores: Floats, relevant: Bools, groups: Sequence[int], folds: int) -> Floats:
    """The probability of each pair by a fit that saw none of its group; groups go round the folds by their number.

    Raises DataError as `fit_platt`, also for a fold without one of the classes outside of it.
    """
    fold = np.asarray(groups) % folds
    found = np.zeros(len(scores))
    for number in range(folds):
        held = fold == number
        if held.any():
            found[held] = probabilities(scores[held], *fit_platt(scores[~held], relevant[~held]))
    return found


def brier(probability: Floats, relevant: Bools) -> float:
    """Mean squared error of probabilities, 0 (perfect) to 1; NaN for none. Source: Brier (1950)."""
    return float(np.mean((probability - relevant) ** 2)) if len(relevant) else float("nan")
