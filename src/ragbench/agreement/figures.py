"""Agreement of a judge with known truths, with intervals that resample whole groups of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.agreement import resampled
from ragbench.errors import MissingExtra
from ragbench.stats.bootstrap import resample_counts

Floats = NDArray[np.float64]

RESAMPLES = 1000
_SEED = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic of `n` answers with its 95 % interval; `bound` is the one-sided lower 95 % bound. None where it is
    not defined (no answers, or truths of one class only)."""

    value: float | None
    low: float | None
    high: float | None
    bound: float | None
    n: int


def figure(kind: str, truths: Sequence[float], guesses: Sequence[float], groups: Sequence[str]) -> Figure:
    """`auroc`, `balanced_accuracy`, `kappa`, `spearman` or `right`, with a percentile bootstrap over groups (1000
    resamples, seed 0).

    Truths are 0 or 1, but for `spearman`; guesses are scores for `auroc` and `spearman`, else 0 or 1. Answers of one
    group are drawn together, so that answers over the same passages do not count as independent. A resample in which
    the statistic is not defined is left out. Raises MissingExtra where scikit-learn is not installed.
    """
    truth, guess = np.asarray(truths, dtype=np.float64), np.asarray(guesses, dtype=np.float64)
    if not len(truth):
        return Figure(None, None, None, None, 0)
    value = value_of(kind, truth, guess)
    if np.isnan(value):
        return Figure(None, None, None, None, len(truth))
    drawn = _drawn(kind, truth, guess, groups)
    sound = drawn[~np.isnan(drawn)]
    low, bound, high = np.percentile(sound, (2.5, 5, 97.5))
    value, low, high, bound = (round(float(one), 6) for one in (value, low, high, bound))
    return Figure(value, low, high, bound, len(truth))


def lead(
    kind: str, truths: Sequence[float], guesses: Sequence[float], others: Sequence[float], groups: Sequence[str]
) -> Figure:
    """How far a statistic of `guesses` is above that of `others` on the same answers, with the interval of the paired
    difference: each resample of groups gives both. Undefined where either is."""
    one, two = figure(kind, truths, guesses, groups), figure(kind, truths, others, groups)
    if one.value is None or two.value is None:
        return Figure(None, None, None, None, one.n)
    truth = np.asarray(truths, dtype=np.float64)
    pair = [np.asarray(values, dtype=np.float64) for values in (guesses, others)]
    first, second = (_drawn(kind, truth, guess, groups) for guess in pair)
    drawn = first - second
    low, bound, high = np.percentile(drawn[~np.isnan(drawn)], (2.5, 5, 97.5))
    value, low, bound, high = (round(float(each), 6) for each in (one.value - two.value, low, bound, high))
    return Figure(value, low, high, bound, one.n)


def _drawn(kind: str, truth: Floats, guess: Floats, groups: Sequence[str]) -> Floats:
    """The statistic of each resample of groups; the resamples depend on the groups alone."""
    places = np.unique(np.asarray(groups), return_inverse=True)[1]
    blocks = resample_counts(int(places.max()) + 1, RESAMPLES, _SEED)
    return np.concatenate([_RESAMPLED[kind](truth, guess, block[:, places]) for block in blocks])


def metrics() -> Any:
    """scikit-learn's metrics; raises MissingExtra where that is not installed."""
    try:
        from sklearn import metrics as found
    except ImportError as error:
        raise MissingExtra("scikit-learn", "train", "ragbench judge check") from error
    return found


def value_of(kind: str, truth: Floats, guess: Floats) -> float:
    """The statistic of all answers; NaN where it is not defined: one class of truths, or for κ and Spearman nothing
    that varies.

    scikit-learn's `roc_auc_score`, `balanced_accuracy_score` and `cohen_kappa_score`, scipy's `spearmanr`; `right` is
    the share of equal pairs.
    """
    if kind == "right":
        return float((truth == guess).mean())
    if kind == "spearman":
        from scipy.stats import spearmanr

        varied = len(np.unique(truth)) > 1 and len(np.unique(guess)) > 1
        return float(spearmanr(truth, guess).statistic) if varied else float("nan")
    seen = np.concatenate([truth, guess]) if kind == "kappa" else truth
    if len(np.unique(seen)) < 2:
        return float("nan")
    return float(getattr(metrics(), _LIBRARY[kind])(truth, guess))


_LIBRARY = {"auroc": "roc_auc_score", "balanced_accuracy": "balanced_accuracy_score", "kappa": "cohen_kappa_score"}
_RESAMPLED = {
    "auroc": resampled.auroc,
    "balanced_accuracy": resampled.balanced_accuracy,
    "kappa": resampled.kappa,
    "spearman": resampled.spearman,
    "right": resampled.right,
}
