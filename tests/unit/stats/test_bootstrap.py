"""Intervals: coverage, determinism, independence, degenerate input, speed."""

import time

import numpy as np
import pytest

from ragbench.stats.bootstrap import mean_interval, mean_intervals, resample_counts


def scores(n=200, columns=40, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.random((n, columns))
    scored = np.ones((n, columns), dtype=bool)
    scored[: n // 5, : columns // 2] = False
    return values, scored


def test_every_resample_draws_n_subjects_and_all_subjects_are_drawn_alike():
    counts = np.concatenate(list(resample_counts(50, 4000, 1)))
    assert counts.shape == (4000, 50)
    assert (counts.sum(axis=1) == 50).all()
    assert abs(counts.mean(axis=0) - 1).max() < 0.1
    assert counts.var() == pytest.approx(1 - 1 / 50, abs=0.02)


def test_draws_are_the_same_on_every_machine():
    counts = np.concatenate(list(resample_counts(5, 3, 0)))
    assert counts.astype(int).tolist() == GOLDEN_COUNTS


GOLDEN_COUNTS = [[1, 2, 2, 0, 0], [2, 0, 1, 2, 0], [1, 0, 2, 1, 1]]


def test_blocks_do_not_change_the_draws(monkeypatch):
    whole = np.concatenate(list(resample_counts(30, 100, 4)))
    monkeypatch.setattr("ragbench.stats.bootstrap._BLOCK", 300)
    blocks = list(resample_counts(30, 100, 4))
    assert len(blocks) == 10
    assert (np.concatenate(blocks) == whole).all()


def test_the_same_seed_gives_the_same_bits_and_another_seed_does_not():
    values, scored = scores()
    one, two, other = (mean_intervals(values, scored, seed) for seed in (3, 3, 4))
    assert (one.low == two.low).all() and (one.high == two.high).all()
    assert (one.low != other.low).any()


def test_an_interval_does_not_depend_on_the_other_measures():
    values, scored = scores()
    together = mean_intervals(values, scored, 0)
    alone = mean_intervals(values[:, [7]], scored[:, [7]], 0)
    assert alone.low[0] == together.low[7] and alone.high[0] == together.high[7]


def test_it_agrees_with_a_plain_loop():
    values, scored = scores(30, 3)
    counts = np.concatenate(list(resample_counts(30, 500, 9)))
    found = mean_intervals(values, scored, 9, resamples=500)
    for column in range(3):
        means = []
        for row in counts:
            drawn = [values[at, column] for at in range(30) if scored[at, column] for _ in range(int(row[at]))]
            means.append(sum(drawn) / len(drawn))
        assert found.low[column] == pytest.approx(np.quantile(means, 0.025), abs=1e-9)
        assert found.high[column] == pytest.approx(np.quantile(means, 0.975), abs=1e-9)


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(12)
    values = rng.random((60, 400))
    found = mean_intervals(values, np.ones(values.shape, dtype=bool), 0)
    covered = ((found.low <= 0.5) & (found.high >= 0.5)).mean()
    assert 0.90 <= covered <= 0.98


def test_nothing_has_no_interval_and_one_value_is_marked():
    values = np.array([[0.3, 1.0], [np.nan, np.nan], [np.nan, 0.0]])
    scored = np.array([[True, True], [False, False], [False, True]])
    found = mean_intervals(values, scored, 0)
    assert (found.mean[0], found.low[0], found.high[0]) == (0.3, 0.3, 0.3)
    assert found.degenerate.tolist() == [True, False]
    nothing = mean_intervals(values[1:2], scored[1:2], 0)
    assert np.isnan(nothing.mean).all() and np.isnan(nothing.low).all()
    assert mean_intervals(np.empty((0, 2)), np.empty((0, 2), dtype=bool), 0).mean.shape == (2,)
    assert mean_interval(np.array([]), 0) == (None, None, None)
    assert mean_interval(np.array([0.5]), 0) == (0.5, 0.5, 0.5)
    with pytest.raises(ValueError, match="nothing to resample"):
        next(resample_counts(0, 10, 0))


def test_equal_values_have_an_interval_without_width():
    found = mean_intervals(np.full((20, 1), 0.25), np.ones((20, 1), dtype=bool), 0)
    assert (found.low[0], found.mean[0], found.high[0]) == (0.25, 0.25, 0.25)


def test_forty_measures_and_two_hundred_questions_take_milliseconds():
    values, scored = scores()
    mean_intervals(values, scored, 0)
    times = []
    for _ in range(5):
        started = time.process_time()
        mean_intervals(values, scored, 0)
        times.append(time.process_time() - started)
    assert min(times) < 0.05
