"""Statistics of many resamples at once, each given as how often every answer is drawn [resamples, n].

The values that are reported come from scikit-learn and scipy; a thousand resamples of each would take minutes there.
Drawing a pair twice counts it twice, as repeating its row does. NaN where a statistic is not defined.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def auroc(truth: Floats, guess: Floats, weights: Floats) -> Floats:
    """Area under the ROC curve of each resample: the share of pairs of a true and a false answer in which the true one
    has the higher guess, ties one half. Source: Mann and Whitney (1947)."""
    positive, negative = _by_value(weights * truth, guess), _by_value(weights * (1 - truth), guess)
    below = np.cumsum(negative, axis=1) - negative
    won = (positive * (below + negative / 2)).sum(axis=1)
    return _over(won, positive.sum(axis=1) * negative.sum(axis=1))


def balanced_accuracy(truth: Floats, guess: Floats, weights: Floats) -> Floats:
    """Mean of the shares right of both classes of each resample."""
    right = truth == guess
    shares = [_over(weights @ (right & of), weights @ of) for of in (truth == 1, truth == 0)]
    found: Floats = (shares[0] + shares[1]) / 2
    return found


def kappa(truth: Floats, guess: Floats, weights: Floats) -> Floats:
    """Cohen's κ of each resample: (observed − expected) ÷ (1 − expected). Source: Cohen (1960)."""
    total = weights.sum(axis=1)
    observed = weights @ (truth == guess) / total
    true, said = weights @ truth / total, weights @ guess / total
    expected = true * said + (1 - true) * (1 - said)
    return _over(observed - expected, 1 - expected)


def spearman(truth: Floats, guess: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation of each resample: Pearson of the mean ranks."""
    one, two = _ranks(truth, weights), _ranks(guess, weights)
    total = weights.sum(axis=1)
    one = one - ((weights * one).sum(axis=1) / total)[:, None]
    two = two - ((weights * two).sum(axis=1) / total)[:, None]
    spread = np.sqrt((weights * one * one).sum(axis=1) * (weights * two * two).sum(axis=1))
    return _over((weights * one * two).sum(axis=1), spread)


def right(truth: Floats, guess: Floats, weights: Floats) -> Floats:
    """Share of equal pairs of each resample."""
    found: Floats = weights @ (truth == guess) / weights.sum(axis=1)
    return found


def _by_value(weights: Floats, values: Floats) -> Floats:
    """Weights added up over equal values, in ascending order of value."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-np.inf))
    found: Floats = np.add.reduceat(weights[:, order], starts, axis=1)
    return found


def _ranks(values: Floats, weights: Floats) -> Floats:
    """Mean rank of each value in its resample."""
    place = np.unique(values, return_inverse=True)[1]
    drawn = _by_value(weights, values)
    middle = np.cumsum(drawn, axis=1) - drawn + (drawn + 1) / 2
    found: Floats = middle[:, place]
    return found


def _over(top: Floats, bottom: Floats) -> Floats:
    found: Floats = np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom > 0)
    return found
