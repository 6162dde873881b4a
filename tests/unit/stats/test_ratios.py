"""Ratios of means and percentiles of pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragbench.stats.ratios import log_ratio_of


def test_the_ratio_of_means_is_that_of_sums() -> None:
    found = log_ratio_of([([20.0, 40.0, 60.0], [1.0, 2.0, 3.0])], 0)
    assert math.exp(found.mean) == pytest.approx(20)
    assert math.exp(found.low) == math.exp(found.high) == pytest.approx(20), "every pair has the same ratio"
    both = log_ratio_of([([4.0, 4.0], [1.0, 1.0]), ([9.0, 9.0], [1.0, 1.0])], 0)
    assert (math.exp(both.mean), both.n) == (pytest.approx(6), 4), "the geometric mean of the strata"
    assert both.p is None


def test_percentiles_are_values_of_the_sample() -> None:
    slow = [float(n) for n in range(1, 101)]
    found = log_ratio_of([(slow, [1.0] * 100)], 0, percentile=95)
    assert math.exp(found.mean) == pytest.approx(95)
    assert found.low < found.mean < found.high
    mean = log_ratio_of([(slow, [1.0] * 100)], 0)
    assert math.exp(mean.mean) == pytest.approx(50.5)
    assert math.exp(log_ratio_of([(slow, [1.0] * 100)], 0, percentile=100).mean) == pytest.approx(100)


def test_zeros_are_values() -> None:
    found = log_ratio_of([([0.0, 1.0] * 40, [0.0, 0.5] * 40)], 0)
    assert math.exp(found.mean) == pytest.approx(2)
    assert log_ratio_of([([0.0, 0.0], [1.0, 1.0])], 0).n == 0, "there is no ratio to nothing"
    rare = log_ratio_of([([1.0, *[0.0] * 9], [1.0] * 10)], 0)
    assert np.isfinite([rare.low, rare.high]).all(), "resamples without the one value are left out"


def test_few_pairs_and_wrong_ones() -> None:
    assert log_ratio_of([], 0).n == 0
    assert log_ratio_of([([], [])], 0).mean is None
    one = log_ratio_of([([2.0], [1.0])], 0)
    assert (one.n, one.low) == (1, None)
    with pytest.raises(ValueError, match="0 or more"):
        log_ratio_of([([-1.0], [1.0])], 0)


def test_one_seed_gives_the_same_bits() -> None:
    pairs = [([float(n % 7) for n in range(50)], [float(n % 5 + 1) for n in range(50)])]
    assert log_ratio_of(pairs, 3) == log_ratio_of(pairs, 3)
    assert log_ratio_of(pairs, 3) != log_ratio_of(pairs, 4)
