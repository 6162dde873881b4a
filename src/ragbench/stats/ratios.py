"""Ratios of means or quantiles of paired samples, with intervals that resample the pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragbench.stats.bootstrap import LEVEL, resample_counts
from ragbench.stats.paired import RESAMPLES, Difference
from ragbench.stats.quantile import quantile

Floats = NDArray[np.float64]
Pair = tuple[Sequence[float], Sequence[float]]


def log_ratio_of(
    strata: Sequence[Pair], seed: int, *, percentile: float = 0.0, resamples: int = RESAMPLES
) -> Difference:
    """Natural logarithm of statistic(a) ÷ statistic(b), averaged over strata of pairs (a, b).

    The statistic is the mean, or with `percentile` in (0, 100] that percentile: the smallest value that at least so
    large a share of the sample does not exceed (Hyndman and Fan type 1), which a resample takes from the sample itself.
    Values are at least 0; strata whose statistics are not both above 0 are left out, and so are resamples where one is
    0. p is not given, and the interval is None for a single pair. Raises ValueError for a negative value.
    """
    arrays = [(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)) for a, b in strata if len(a)]
    if any((one < 0).any() for pair in arrays for one in pair):
        raise ValueError("a ratio needs values of 0 or more")
    kept = [pair for pair in arrays if all(_statistics(np.ones((1, len(v))), v, percentile)[0] > 0 for v in pair)]
    n = sum(len(a) for a, _ in kept)
    if not n:
        return Difference(None, None, None, None, 0)
    mean = sum(_logs(np.ones((1, len(a))), a, b, percentile)[0] for a, b in kept) / len(kept)
    if n == 1:
        return Difference(round(float(mean), 12), None, None, None, n)
    logs = np.zeros(resamples)
    for place, (a, b) in enumerate(kept):
        parts = [_logs(counts, a, b, percentile) for counts in resample_counts(len(a), resamples, seed + place)]
        logs += np.concatenate(parts) / len(kept)
    ordered = np.sort(logs[np.isfinite(logs)]).tolist()
    tail = (1 - LEVEL) / 2
    low, high = quantile(ordered, tail), quantile(ordered, 1 - tail)
    assert low is not None
    assert high is not None
    return Difference(round(float(mean), 12), round(low, 12), round(high, 12), None, n)


def _logs(counts: Floats, a: Floats, b: Floats, percentile: float) -> Floats:
    top, bottom = (_statistics(counts, values, percentile) for values in (a, b))
    usable = (top > 0) & (bottom > 0)
    found: Floats = np.full(len(counts), math.nan)
    found[usable] = np.log(top[usable] / bottom[usable])
    return found


def _statistics(counts: Floats, values: Floats, percentile: float) -> Floats:
    """The statistic of each resample, given as how often each value is drawn [resamples, n]."""
    if not percentile:
        means: Floats = counts @ values / counts.sum(axis=1)
        return means
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(counts[:, order], axis=1)
    wanted = counts.sum(axis=1) * percentile / 100
    found: Floats = values[order][(reached < wanted[:, None]).sum(axis=1)]
    return found
