"""The loss of a measure, its bound and its margin, by numbers that binomials give."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragbench.gate.loss import detectable, loss_of
from ragbench.gate.pairs import pairs_of
from ragbench.measure.registry import measures
from tests.unit.gate.sides import FALSE_ANSWER, RECALL, column, ones

Z = 2.486475


def loss_between(before, now, name=RECALL, margin=0.05):
    pairs = pairs_of(measures([name])[0], column(before), column(now), [f"q{at}" for at in range(len(before))])
    return loss_of(pairs, margin, seed=0)


def test_four_of_forty_lost_is_a_loss_and_two_are_not_told_from_chance() -> None:
    # Student's bound is the further one: 0.1 − 1.684875 · √(0.09 · 40/39 / 40), with t(39) at 0.05. The percentile would be 1/40.
    lost = loss_between(ones(40), ones(40, 4))
    assert (lost.n, lost.before, lost.now, lost.loss) == (40, 1.0, 0.9, 0.1)
    assert lost.margin == pytest.approx(0.05) and lost.bound == pytest.approx(0.0190612, abs=1e-6)
    assert lost.beyond_margin and lost.confirmed
    # 2/30 − 1.699127 · √(2/30 · 28/30 · 30/29 / 30), with t(29) at 0.05.
    doubtful = loss_between(ones(30), ones(30, 2))
    assert doubtful.loss == pytest.approx(2 / 30) and doubtful.beyond_margin
    assert doubtful.bound == pytest.approx(-0.0120380, abs=1e-6) and not doubtful.confirmed


def test_a_loss_of_exactly_the_margin_is_tolerated_and_one_question_more_is_not() -> None:
    assert not loss_between(ones(100), ones(100, 5)).beyond_margin
    assert loss_between(ones(100), ones(100, 6)).confirmed
    assert not loss_between(ones(100), ones(100, 6), margin=0.06).beyond_margin


def test_the_margin_is_relative_to_what_was_right_before() -> None:
    assert loss_between([0.5] * 30, [0.5] * 30).margin == pytest.approx(0.025)
    # 4 of 20 false answers: 0.8 were right, and 5 % of that is 0.04.
    rate = loss_between([1.0] * 4 + [0.0] * 16, [1.0] * 5 + [0.0] * 15, FALSE_ANSWER)
    assert (rate.before, rate.now) == (0.2, 0.25)
    assert rate.loss == pytest.approx(0.05) and rate.margin == pytest.approx(0.04)


def test_lower_is_better_turns_the_sign() -> None:
    assert loss_between([1.0] * 20, [0.0] * 20, FALSE_ANSWER).loss == pytest.approx(-1.0)
    assert loss_between([0.0] * 20, [1.0] * 20, FALSE_ANSWER).confirmed


def test_equal_sides_lose_nothing_and_see_no_more_than_their_number_allows() -> None:
    same = loss_between(ones(100, 20), ones(100, 20))
    assert (same.loss, same.bound, same.headroom) == (0.0, 0.0, None)
    assert not same.beyond_margin
    # mean 0.8, mean square 0.8: z² · 0.8 ÷ (0.8 · (100 + z²)) = 6.18256 ÷ 106.18256
    assert same.detectable == pytest.approx(Z**2 / (100 + Z**2), abs=1e-6)
    assert same.blind


def test_what_can_be_seen_is_no_less_than_the_spread_of_the_differences_allows() -> None:
    losses = np.array([1.0, -1.0] * 50)
    assert detectable(losses, np.ones(100)) == pytest.approx(Z * math.sqrt(100 / 99 / 100), abs=1e-6)
    assert detectable(np.zeros(1), np.ones(1)) is None
    assert detectable(np.zeros(5), np.zeros(5)) is None


def test_five_percent_are_seen_from_118_questions_on() -> None:
    assert loss_between(ones(117), ones(117)).blind
    assert not loss_between(ones(118), ones(118)).blind


def test_no_pair_says_nothing_and_one_pair_has_no_bound() -> None:
    nothing = loss_between(["n/a"], ["n/a"])
    assert nothing.n == 0 and nothing.loss is None and not nothing.beyond_margin
    one = loss_between([1.0], [0.0])
    assert one.beyond_margin and one.bound is None and not one.confirmed


def test_a_gain_beyond_the_margin_leaves_headroom() -> None:
    # 0.5 → 0.9: a fall from 0.9 by 0.4 + 0.025 would still be within the margin of the baseline.
    assert loss_between(ones(40, 20), ones(40, 4)).headroom == pytest.approx(0.425)
    assert loss_between(ones(40, 20), ones(40, 19)).headroom is None


def test_p_is_one_sided() -> None:
    # Of 2^4 sign patterns of four equal losses one is as extreme: 1/16; 9999 random ones come near it.
    assert loss_between(ones(40), ones(40, 4)).p == pytest.approx(1 / 16, abs=0.01)
    assert loss_between(ones(40, 4), ones(40)).p == pytest.approx(15 / 16, abs=0.01)
