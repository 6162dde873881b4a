from __future__ import annotations

import pytest

from ragbench.gate.pairs import pairs_of, worst_mean
from ragbench.measure.registry import measures
from tests.unit.gate.sides import FAITHFUL, FALSE_REFUSAL, column


def paired(before, now, name=FAITHFUL, questions=None):
    ids = questions or [f"q{at}" for at in range(max(len(before), len(now)))]
    return pairs_of(measures([name])[0], column(before), column(now), ids)


def test_scored_and_failed_are_paired_and_failed_is_the_worst() -> None:
    found = paired([1.0, 0.5, "failed", "failed"], [0.5, "failed", 1.0, "failed"])
    assert found.ids == ("q0", "q1", "q2", "q3")
    assert found.before.tolist() == [1.0, 0.5, 0.0, 0.0] and found.now.tolist() == [0.5, 0.0, 1.0, 0.0]
    assert found.failed == (2, 2)
    assert found.losses.tolist() == [0.5, 0.5, -1.0, 0.0]


def test_failed_is_the_worst_where_lower_is_better_too() -> None:
    found = paired([0.0], ["failed"], FALSE_REFUSAL)
    assert found.now.tolist() == [1.0] and found.losses.tolist() == [1.0]


def test_not_applicable_on_one_side_is_listed_and_in_no_pair() -> None:
    found = paired([1.0, "n/a", "n/a", "failed"], ["n/a", 1.0, "n/a", "n/a"])
    assert found.n == 0
    assert found.vanished == ("q0", "q3") and found.appeared == ("q1",) and found.missing == ()


def test_a_question_without_a_cell_is_missing() -> None:
    assert paired([1.0, 1.0], [1.0]).missing == ("q1",)


@pytest.mark.parametrize(
    ("values", "name", "saturated"),
    [
        ([1.0] * 19 + [0.0], FAITHFUL, True),
        ([1.0] * 18 + [0.0] * 2, FAITHFUL, False),
        ([1.0] * 19 + [0.0, "n/a", "failed"], FAITHFUL, True),
        ([0.0] * 19 + [1.0], FALSE_REFUSAL, True),
        ([1.0] * 20, FALSE_REFUSAL, False),
        (["n/a"], FAITHFUL, False),
    ],
)
def test_saturated_is_of_what_was_scored(values, name, saturated) -> None:
    assert paired(values, values, name).saturated == (saturated, saturated)


def test_the_mean_of_a_side_counts_failed_as_the_worst() -> None:
    faithful, refusal = measures([FAITHFUL, FALSE_REFUSAL])
    assert worst_mean(faithful, column([1.0, "failed", "n/a"])) == 0.5
    assert worst_mean(refusal, column([0.0, "failed", "n/a"])) == 0.5
    assert worst_mean(faithful, column(["n/a"])) is None
