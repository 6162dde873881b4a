"""Choosing a value: plateaus, intervals, and gains that no question has for itself."""

from __future__ import annotations

import numpy as np
import pytest

from ragbench.experiment.tuning import Pool, best_interval, best_of, category_gains, tuned_gains

ORDER = ["0", "0.5", "1"]
AXIS = {"0": 0.0, "0.5": 0.5, "1": 1.0}


def values(*columns, prefix="q"):
    """Variant → question → value; a column a variant."""
    return {name: {f"{prefix}{at}": float(v) for at, v in enumerate(column)} for name, column in zip(ORDER, columns)}


def pool(told, chosen_on=None, name="one", categories=None):
    keys = {key for column in (*told.values(), *(chosen_on or {}).values()) for key in column}
    return Pool(name, told, chosen_on, categories or dict.fromkeys(keys, "lookup"))


def test_the_middle_of_equal_values_is_chosen() -> None:
    assert best_of(ORDER, [values([1, 0], [1, 0], [1, 0])]) == "0.5"
    assert best_of(ORDER, [values([1, 1], [1, 1], [0, 1])]) == "0", "of two the smaller"
    assert best_of(ORDER, [values([0, 1], [0, 0], [1, 1])]) == "1"
    assert best_of(ORDER, []) is None
    assert best_of(ORDER, [values([], [], [])]) is None


def test_sets_have_one_vote_each() -> None:
    large = values([1] * 30, [0] * 30, [0] * 30)
    small = values([0] * 3, [0] * 3, [1] * 3)
    assert best_of(ORDER, [large, small, small]) == "1"


def test_the_interval_of_the_best_is_wide_where_the_curve_is_flat() -> None:
    flat = best_interval(AXIS, [values([1] * 40, [1] * 40, [1] * 40)], 0)
    assert (flat.best, flat.low, flat.high, flat.n) == ("0.5", 0.0, 1.0, 40)
    clear = best_interval(AXIS, [values([0] * 40, [1] * 40, [0.5] * 40)], 0)
    assert (clear.best, clear.low, clear.high) == ("0.5", 0.5, 0.5)
    noisy = best_interval(AXIS, [values([0, 1] * 10, [1, 0] * 10, [0, 0] * 10)], 0)
    assert (noisy.low, noisy.high) == (0.0, 0.5)
    assert best_interval(AXIS, [values([1], [0], [0])], 0) is None


def test_noise_gains_nothing_on_other_questions() -> None:
    order = [str(at) for at in range(11)]
    flattered, honest = [], []
    for seed in range(20):
        random = np.random.default_rng(seed)
        found = {name: {f"q{at}": float(v) for at, v in enumerate(random.random(100) > 0.5)} for name in order}
        best = best_of(order, [found])
        flattered.append(np.mean([found[best][key] - found["5"][key] for key in found["5"]]))
        told = tuned_gains(order, "5", [pool(found)], 0)
        honest.append(np.mean(list(told.gains["one"].values())))
        assert sum(told.chosen.values()) == pytest.approx(1, abs=0.01)
    assert np.mean(flattered) > 0.05
    assert abs(np.mean(honest)) < np.mean(flattered) / 2


def test_a_real_gain_is_found() -> None:
    told = tuned_gains(ORDER, "0", [pool(values([0] * 40, [0] * 40, [1] * 40))], 0)
    assert set(told.gains["one"].values()) == {1.0}
    assert told.chosen == {"1": 1.0}


def test_dev_chooses_and_test_is_told() -> None:
    dev = values([1] * 25, [0] * 25, [0] * 25, prefix="d")
    test = values([0] * 30, [0] * 30, [1] * 30)
    told = tuned_gains(ORDER, "1", [pool(test, dev)], 0)
    assert told.chosen == {"0": 1.0}
    assert set(told.gains["one"].values()) == {-1.0}, "what dev has chosen is told by test, for worse too"
    assert set(told.gains["one"]) == set(test["0"])


def test_no_question_has_a_part_in_its_own_choice() -> None:
    """One question decides between two values; the half without it chooses the other one."""
    lone = values([1] + [0] * 9, [0] * 10, [0] * 10)
    told = tuned_gains(ORDER, "0.5", [pool(lone)], 0)
    assert told.gains["one"]["q0"] == 0.0, "the half that told of q0 saw all values equal"


def test_sets_of_both_kinds_are_chosen_for_together() -> None:
    first = pool(values([0] * 30, [0] * 30, [1] * 30), values([0] * 25, [0] * 25, [1] * 25, prefix="d"), name="own")
    second = pool(values([0] * 30, [0] * 30, [1] * 30), name="drawn")
    told = tuned_gains(ORDER, "0", [first, second], 0)
    assert {name: len(gains) for name, gains in told.gains.items()} == {"own": 30, "drawn": 30}
    assert told.chosen == {"1": 1.0}


def test_categories_that_differ_gain_by_a_choice_of_their_own() -> None:
    kinds = {f"q{at}": ("code", "prose")[at % 2] for at in range(80)}
    code = [float(at % 2 == 0) for at in range(80)]
    prose = [1 - one for one in code]
    told = category_gains(ORDER, [pool(values(code, [0.4] * 80, prose), categories=kinds)], 0)
    assert np.mean(list(told.gains["one"].values())) > 0.3
    same = category_gains(ORDER, [pool(values([0] * 80, [1] * 80, [0] * 80), categories=kinds)], 0)
    assert set(same.gains["one"].values()) == {0.0}
    assert category_gains(ORDER, [], 0).gains == {}


def test_one_seed_gives_one_result() -> None:
    noisy = pool(values([0, 1] * 20, [1, 0] * 20, [1, 1] * 20))
    assert tuned_gains(ORDER, "0", [noisy], 1) == tuned_gains(ORDER, "0", [noisy], 1)
