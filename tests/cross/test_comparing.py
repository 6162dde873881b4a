"""Paired comparisons against scipy, and against what is true: false calls, coverage, power."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy import stats

from ragbench.compare.pairs import Options, compare_runs
from ragbench.stats import sign_flip
from ragbench.stats.paired import paired_difference, sign_flip_p
from ragbench.stats.student import normal_tail, t_quantile
from tests.unit.compare import NDCG, write_run

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "comparisons.py"


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    """The script behind the figures of docs/comparing.md."""
    spec = importlib.util.spec_from_file_location("comparisons", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ndcg(n: int, shift: float, seed: int) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    a = rng.choice([0.0, 0.5, 0.63, 1.0], n)
    moved = rng.random(n) < 0.5
    return a.tolist(), np.where(moved, np.clip(a + shift + 0.2 * rng.standard_normal(n), 0, 1), a).tolist()


@pytest.mark.parametrize(("n", "shift"), [(12, 0.1), (60, 0.05), (150, 0.02)])
def test_p_of_two_runs_is_that_of_scipy(tmp_path: Path, n: int, shift: float) -> None:
    a, b = ndcg(n, shift, n)
    runs = [write_run(tmp_path, name, {NDCG: values}) for name, values in (("a-1", a), ("b-1", b))]
    (pair,) = compare_runs(runs[0], runs[1:], Options(by_category=False))
    ours = pair.contrasts[0].found.p
    differences = np.array(b) - np.array(a)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(0)
    )  # fmt: skip
    assert ours == pytest.approx(theirs.pvalue, abs=1e-12 if n == 12 else 0.012)


def test_the_exact_p_of_ties_is_that_of_mcnemar() -> None:
    assert sign_flip_p([1.0] * 9 + [-1.0] * 3 + [0.0] * 88, 0) == pytest.approx(
        stats.binomtest(3, 12).pvalue, abs=1e-12
    )
    many = sign_flip_p([1.0] * 34 + [-1.0] * 16, 0)
    assert many == pytest.approx(stats.binomtest(16, 50).pvalue, abs=0.005)


@pytest.mark.parametrize("n", [20, 60, 150])
def test_the_interval_is_scipys_percentile_interval_at_the_widened_level(n: int) -> None:
    a, b = ndcg(n, 0.05, n)
    differences = np.array(b) - np.array(a)
    found = paired_difference(differences, 0)
    t = t_quantile(0.025, n - 1)
    theirs = stats.bootstrap(
        (differences,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(0),
        confidence_level=1 - 2 * normal_tail(t * np.sqrt(n / (n - 1))),
    ).confidence_interval  # fmt: skip
    student = stats.t.interval(0.95, n - 1, differences.mean(), stats.sem(differences))
    width = theirs.high - theirs.low
    assert found.low == pytest.approx(min(theirs.low, student[0]), abs=0.03 * width)
    assert found.high == pytest.approx(max(theirs.high, student[1]), abs=0.03 * width)
    assert found.low <= student[0] + 1e-6 and found.high >= student[1] - 1e-6


def test_without_a_difference_one_comparison_in_twenty_at_most_says_anything(
    simulation: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_flip, "PERMUTATIONS", 999)
    rounds = 12
    cells = [(kind, n) for kind in ("binary", "bounded", "tied") for n in simulation.SIZES]
    share = sum(simulation.called(kind, n, rounds) for kind, n in cells) / (rounds * len(cells))
    assert share <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / (rounds * len(cells)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["binary", "bounded", "tied"])
def test_the_same_by_kind_of_measure_and_size(simulation: ModuleType, kind: str) -> None:
    for n in simulation.SIZES:
        assert simulation.called(kind, n, 300) / 300 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300), n


def test_intervals_hold_the_truth_as_often_as_they_say(simulation: ModuleType) -> None:
    """All kinds but the two that docs/comparing.md says the method cannot serve with few pairs."""
    kinds = [kind for kind in simulation.KINDS if not kind.startswith(("binary, 15", "skewed"))]
    for n in simulation.SIZES:
        shares = {kind: simulation.covered(kind, n, 500) for kind in kinds}
        assert 0.93 <= np.mean(list(shares.values())) <= 0.975, (n, shares)
        assert all(0.91 <= share <= 0.985 for share in shares.values()), (n, shares)


def test_a_difference_as_large_as_is_said_to_be_detectable_is_found_four_times_of_five(simulation: ModuleType) -> None:
    rng = np.random.default_rng(3)
    values = simulation.binary(rng, 200, 150, 0.15, 0.05)
    detectable = np.median([paired_difference(row, 0, resamples=2).detectable for row in values[:20]])
    assert detectable == pytest.approx(0.1, abs=0.01)
    found = np.mean([sign_flip_p(row, 0) < 0.05 for row in values])
    assert 0.7 <= found <= 0.9
