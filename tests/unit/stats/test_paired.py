"""Paired differences: exact bits, honest p values, coverage, Holm."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ragbench.core.recent import Recent
from ragbench.stats import paired, sign_flip
from ragbench.stats.paired import (
    Difference,
    holm,
    paired_difference,
    paired_differences,
    pooled_difference,
    sign_flip_p,
)


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of other tests, which draw fewer patterns."""
    for name in ("_FOUND", "_BOUNDS"):
        monkeypatch.setattr(paired, name, Recent(1 << 20))


def sample(n: int, shift: float = 0.0, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift, 0.3, n)


def test_identical_runs_differ_by_nothing() -> None:
    found = paired_difference([0.0] * 40, 0)
    assert found == Difference(0.0, 0.0, 0.0, 1.0, 40, 0.0)


def test_no_pairs_and_one_pair() -> None:
    assert paired_difference([], 0) == Difference(None, None, None, None, 0)
    assert pooled_difference([[], []], 0).n == 0
    one = paired_difference([0.25], 0)
    assert (one.mean, one.low, one.high, one.n) == (0.25, None, None, 1)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        paired_difference([0.1, bad], 0)


@pytest.mark.parametrize("n", [0, 1, 2, 9, 130])
def test_many_columns_on_one_draw_are_what_each_is_alone(n: int) -> None:
    columns = np.column_stack([sample(n), np.zeros(n), np.round(sample(n, 0.2, 2), 1), -sample(n, 1 / 3, 3)])
    alone = [replace(paired_difference(column, 7), p=None) for column in columns.T]
    assert paired_differences(columns, 7) == alone
    with pytest.raises(ValueError, match="finite"):
        paired_differences(np.array([[0.1, math.nan]]), 7)


def test_p_alone_is_the_p_of_the_difference() -> None:
    for values in (sample(40, 0.1), np.zeros(5), np.array([0.25])):
        assert sign_flip_p(values, 3) == paired_difference(values, 3).p
    assert sign_flip_p([], 3) == 1.0
    with pytest.raises(ValueError, match="finite"):
        sign_flip_p([math.inf], 3)


def test_p_is_never_nought_and_counts_the_observed_one() -> None:
    found = paired_difference([1.0] * 200, 0)
    assert found.p == 1 / (sign_flip.REFINED + 1)
    assert (found.low, found.high) == (1.0, 1.0)


def test_p_is_that_of_all_sign_patterns() -> None:
    values = [0.5, 0.25, -0.125, 0.75, 0.5, 0.125, -0.25, 0.375]
    observed = abs(sum(values))
    every = [abs(sum(s * v for s, v in zip(signs, values))) >= observed for signs in product((1, -1), repeat=8)]
    found = paired_difference(values, 3)
    assert found.p == pytest.approx(sum(every) / len(every), abs=1e-12)


def test_the_sign_of_all_differences_turns_the_interval_over_and_keeps_p() -> None:
    one, two = paired_difference(sample(60, 0.1), 5), paired_difference(-sample(60, 0.1), 5)
    assert (one.mean, one.low, one.high, one.p) == (-two.mean, -two.high, -two.low, two.p)


@pytest.mark.parametrize("times", [1, 3])
def test_equal_sums_of_other_parts_count_as_ties(times: int) -> None:
    """1/3 + 2/3 is 1 only up to rounding: a tie broken by the last bit would make p smaller than it is."""
    thirds = [1, 2, -1, 3, -2, 1, 1, 2] * times
    found = sign_flip_p([value / 3 for value in thirds], 0)
    assert found == sign_flip_p([float(value) for value in thirds], 0)
    sums = {0: 1}
    for value in thirds:
        sums = (
            {
                total: sums.get(total - value, 0) + sums.get(total + value, 0)
                for total in range(min(sums) - value, max(sums) + value + 1)
            }
            if value > 0
            else {
                total: sums.get(total - value, 0) + sums.get(total + value, 0)
                for total in range(min(sums) + value, max(sums) - value + 1)
            }
        )
    truth = sum(n for total, n in sums.items() if abs(total) >= abs(sum(thirds))) / 2 ** len(thirds)
    assert found == pytest.approx(truth, abs=0 if times == 1 else 0.004)


def test_a_small_p_is_drawn_with_more_digits() -> None:
    found = sign_flip_p([1.0] * 19 + [-1.0], 0)
    assert found == pytest.approx(2 * 21 / 2**20, abs=3e-5)


def test_adding_untouched_questions_leaves_p_alone() -> None:
    moved = sample(30, 0.1)
    assert paired_difference(moved, 2).p == paired_difference([*moved, *[0.0] * 50], 2).p


def test_the_interval_covers_the_truth_as_often_as_it_says(monkeypatch) -> None:
    monkeypatch.setattr(sign_flip, "PERMUTATIONS", 99)
    hits = 0
    for seed in range(300):
        found = paired_difference(sample(60, 0.05, seed), seed, resamples=500)
        hits += found.low <= 0.05 <= found.high
    assert 0.90 <= hits / 300 <= 0.985


def test_a_null_effect_is_found_as_often_as_it_may(monkeypatch) -> None:
    monkeypatch.setattr(sign_flip, "PERMUTATIONS", 999)
    found = [paired_difference(sample(25, 0.0, seed), seed, resamples=50).p for seed in range(300)]
    assert 0.02 <= sum(p < 0.05 for p in found) / 300 <= 0.085


def test_detectable_is_what_a_test_of_that_power_finds(monkeypatch) -> None:
    monkeypatch.setattr(sign_flip, "PERMUTATIONS", 999)
    size = 2.8016 * 0.3 / math.sqrt(80)
    assert paired_difference(sample(80), 0, resamples=50).detectable == pytest.approx(size, rel=0.2)
    found = [paired_difference(sample(80, size, 1000 + seed), seed, resamples=50).p < 0.05 for seed in range(200)]
    assert 0.7 <= sum(found) / 200 <= 0.9


def test_each_set_has_one_vote_whatever_its_size() -> None:
    found = pooled_difference([[0.2] * 10, [0.0] * 990], 0)
    assert found.mean == pytest.approx(0.1, abs=1e-12)
    assert found.n == 1000
    alone = paired_difference(sample(50), 4)
    assert pooled_difference([sample(50), []], 4) == alone


def test_two_sets_of_one_size_are_drawn_independently() -> None:
    values = sample(50)
    one, two = paired_difference(values, 0), pooled_difference([values, values], 0)
    assert two.high - two.low == pytest.approx((one.high - one.low) / math.sqrt(2), rel=0.1)


def test_the_same_bits_with_other_threads_and_orders() -> None:
    code = (
        "import numpy as np; from ragbench.stats.paired import pooled_difference as f; "
        "r = np.random.default_rng(0); a = r.normal(.02, .3, 700); b = r.normal(0, 40, 300); print(repr(f([a, b], 9)))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "OPENBLAS_CORETYPE": core},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads, core in (("1", "Haswell"), ("2", "Haswell"), ("2", "Prescott"))
    }
    assert len(said) == 1
    mine = np.random.default_rng(0)
    assert said == {repr(pooled_difference([mine.normal(0.02, 0.3, 700), mine.normal(0, 40, 300)], 9)) + "\n"}


def test_golden() -> None:
    found = paired_difference([0.5, 0.0, -0.25, 1.0, 0.0, 0.25, 0.0, 0.5, -0.5, 0.75], 7)
    assert found == Difference(0.225, -0.106376057251, 0.556376057251, 0.21875, 10, 0.410395)


def test_memory_does_not_grow_with_the_number_of_questions(monkeypatch) -> None:
    whole = paired_difference(sample(300, 0.05), 1)
    monkeypatch.setattr(sign_flip, "_BLOCK", 1 << 17)
    monkeypatch.setattr(paired, "_FOUND", Recent(0))
    assert paired_difference(sample(300, 0.05), 1) == whole


def test_what_is_remembered_is_of_the_same_question(monkeypatch) -> None:
    skewed = np.abs(sample(300)) ** 6
    asked = [
        ([skewed], 1, 200, 0.95),
        ([skewed], 1, 200, 0.9),
        ([skewed], 2, 200, 0.95),
        ([skewed], 1, 50, 0.95),
        ([skewed[:100], skewed[100:]], 1, 200, 0.95),
    ]

    def every() -> list[Difference]:
        return [pooled_difference(of, seed, resamples=n, level=level) for of, seed, n, level in asked]

    kept = every()
    assert every() == kept and len({(one.low, one.high, one.p) for one in kept}) == len(asked)
    for one, (of, seed, n, level) in zip(kept, asked, strict=True):
        monkeypatch.setattr(paired, "_FOUND", Recent(0))
        assert pooled_difference(of, seed, resamples=n, level=level) == one


@pytest.mark.parametrize(
    ("raw", "adjusted"),
    [
        ([], []),
        ([0.04], [0.04]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.01, None, 0.02], [0.02, None, 0.02]),
    ],
)
def test_holm(raw, adjusted) -> None:
    assert holm(raw) == [None if p is None else pytest.approx(p) for p in adjusted]
