from __future__ import annotations

import numpy as np
import pytest

from ragbench.agreement import resampled
from ragbench.agreement.baselines import overlap
from ragbench.agreement.figures import figure, lead, value_of
from ragbench.agreement.people import one_against_the_others, pairwise_kappa, rating_against_the_others

RNG = np.random.default_rng(7)
TRUTH = (RNG.random(120) < 0.4).astype(float)
SCORE = np.round(RNG.random(120) + 0.4 * TRUTH, 1)
SAID = (SCORE > 0.6).astype(float)
WEIGHTS = RNG.integers(0, 3, (6, 120)).astype(float)


@pytest.mark.parametrize(
    ("kind", "guess"),
    [("auroc", SCORE), ("balanced_accuracy", SAID), ("kappa", SAID), ("spearman", SCORE), ("right", SAID)],
)
def test_a_resample_is_the_library_on_repeated_rows(kind: str, guess) -> None:
    found = getattr(resampled, kind)(TRUTH, guess, WEIGHTS)
    for value, weights in zip(found, WEIGHTS.astype(int)):
        assert value == pytest.approx(value_of(kind, np.repeat(TRUTH, weights), np.repeat(guess, weights)), abs=1e-12)


def test_worked_figures() -> None:
    truths, groups = [1.0, 1.0, 0.0, 0.0], list("abcd")
    assert figure("auroc", truths, [0.9, 0.4, 0.6, 0.1], groups).value == 0.75
    assert figure("balanced_accuracy", truths, [1, 0, 0, 0], groups).value == 0.75
    assert figure("kappa", truths, [1, 0, 0, 0], groups).value == 0.5
    assert figure("right", truths, [1, 0, 0, 0], groups).value == 0.75
    assert figure("spearman", [1, 2, 3, 4], [1, 3, 2, 4], groups).value == 0.8


def test_what_is_not_defined_is_none() -> None:
    nothing = figure("auroc", [], [], [])
    assert (nothing.value, nothing.low, nothing.bound, nothing.n) == (None, None, None, 0)
    for kind in ("auroc", "balanced_accuracy"):
        assert figure(kind, [1, 1], [0.2, 0.4], ["a", "b"]).value is None
    assert figure("spearman", [1, 2], [3, 3], ["a", "b"]).value is None
    assert figure("kappa", [1, 1], [1, 1], ["a", "b"]).value is None


def test_intervals_resample_groups_and_repeat() -> None:
    one = figure("auroc", TRUTH, SCORE, [str(n) for n in range(120)])
    assert one == figure("auroc", TRUTH, SCORE, [str(n) for n in range(120)])
    wide = figure("auroc", np.repeat(TRUTH, 4), np.repeat(SCORE, 4), [str(n // 4) for n in range(480)])
    narrow = figure("auroc", np.repeat(TRUTH, 4), np.repeat(SCORE, 4), [str(n) for n in range(480)])
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert one.low <= one.bound <= one.value <= one.high


def test_a_lead_is_paired() -> None:
    groups = [str(n) for n in range(120)]
    same = lead("auroc", TRUTH, SCORE, SCORE, groups)
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
    ahead = lead("auroc", TRUTH, SCORE, RNG.random(120), groups)
    alone = figure("auroc", TRUTH, SCORE, groups)
    assert ahead.low <= ahead.bound <= ahead.value <= ahead.high and ahead.n == alone.n
    back = lead("auroc", TRUTH, TRUTH, SCORE, groups)
    assert back.value == pytest.approx(1 - alone.value, abs=2e-6)
    assert lead("auroc", [1, 1], [0.2, 0.4], [0.1, 0.1], ["a", "b"]).value is None


def test_word_overlap() -> None:
    assert overlap("年假五天", ("年假五天，须提前申请",)) == 1.0
    assert overlap("The broker restarts", ("the broker stops",)) == 0.5
    assert overlap("", ("x",)) == 0.0


def test_annotators_among_themselves() -> None:
    assert one_against_the_others([[True, True, True], [False, False, False]]) == {
        "balanced_accuracy": 1.0,
        "kappa": 1.0,
    }
    assert one_against_the_others([[True]]) == {} == pairwise_kappa([[True]])
    assert pairwise_kappa([[True, True], [False, False], [True, False]])["kappa"] == pytest.approx(1 / 3, abs=1e-6)
    assert rating_against_the_others([[1, 1], [2, 2], [4, 4]]) == {"spearman": 1.0}
    assert rating_against_the_others([[3.0]]) == {}
