"""The knee: the smallest value that is not significantly behind the best."""

from __future__ import annotations

import random

from ragbench.findings.knee import find_knee
from tests.unit.experiment import share

ORDER = ("200", "500", "800", "1200")


def curve(*rights: int, of: int = 100):
    return {name: {f"q{at}": v for at, v in enumerate(share(n, of))} for name, n in zip(ORDER, rights)}


def test_a_step_has_its_knee_at_the_step() -> None:
    found = find_knee(ORDER, [curve(30, 70, 71, 70)], 0)
    assert (found.best, found.knee, found.n) == ("800", "500", 100)
    assert found.p["200"] < 0.001 <= 0.05 <= found.p["500"]
    assert found.behind["200"].mean == 0.41


def test_a_flat_curve_has_it_at_the_smallest_value_and_ties_go_there() -> None:
    found = find_knee(ORDER, [curve(50, 50, 50, 50)], 0)
    assert (found.best, found.knee) == ("200", "200")


def test_a_rising_curve_has_it_at_the_end() -> None:
    assert find_knee(ORDER, [curve(10, 30, 60, 90)], 0).knee == "1200"


def test_what_chance_explains_is_no_rise() -> None:
    found = find_knee(ORDER, [curve(66, 70, 71, 70)], 0)
    assert 0.05 < found.p["200"] < 0.5
    assert found.knee == "200"


def test_noise_alone_makes_no_knee() -> None:
    rng = random.Random(3)
    inside = 0
    for seed in range(40):
        values = {name: {f"q{at}": float(rng.random() < 0.6) for at in range(60)} for name in ORDER}
        inside += find_knee(ORDER, [values], seed).knee != "200"
    assert inside <= 6


def test_only_questions_with_a_value_everywhere_count() -> None:
    values = curve(30, 70, 71, 70)
    values["1200"] = {key: value for key, value in values["1200"].items() if key != "q5"}
    assert find_knee(ORDER, [values], 0).n == 99


def test_sets_are_pooled_with_one_vote_each() -> None:
    small, large = curve(0, 20, 20, 20, of=20), curve(500, 500, 500, 500, of=1000)
    found = find_knee(ORDER, [small, large], 0)
    assert (found.knee, found.behind["200"].mean) == ("500", 0.5)


def test_where_there_is_no_curve() -> None:
    assert find_knee(ORDER[:2], [curve(1, 2)], 0) is None
    assert find_knee(ORDER, [], 0) is None
    assert find_knee(ORDER, [{**curve(1, 2, 3, 4), "500": {}}], 0) is None
