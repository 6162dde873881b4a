"""Intervals end where the scale ends, and are left alone elsewhere."""

from __future__ import annotations

import pytest

from ragbench.compare.scale import difference_on_scale, mean_on_scale
from ragbench.findings.leader import leader
from ragbench.findings.variant import Variant
from ragbench.stats.paired import Difference, paired_difference

RECALL, TIME = "ranking/recall@5", "cost/total_ms"


def of(low: float | None, high: float | None) -> Difference:
    return Difference(0.5, low, high, 0.1, 3)


@pytest.mark.parametrize(
    ("found", "measure", "mean", "difference"),
    [
        (of(-0.2, 1.3), RECALL, (0.0, 1.0), (-0.2, 1.0)),
        (of(-1.4, 0.3), RECALL, (0.0, 0.3), (-1.0, 0.3)),
        (of(0.1, 0.9), RECALL, (0.1, 0.9), (0.1, 0.9)),
        (of(-20.0, 900.0), TIME, (0.0, 900.0), (-20.0, 900.0)),
        (of(-20.0, 900.0), "house/likes", (-20.0, 900.0), (-20.0, 900.0)),
        (of(None, None), RECALL, (None, None), (None, None)),
    ],
)
def test_an_interval_ends_with_the_scale(found, measure, mean, difference) -> None:
    assert (mean_on_scale(found, measure).low, mean_on_scale(found, measure).high) == mean
    assert (difference_on_scale(found, measure).low, difference_on_scale(found, measure).high) == difference


def test_three_questions_end_within_the_scale_where_students_interval_does_not() -> None:
    best, other = {"a": 1.0, "b": 1.0, "c": 0.5}, {"a": 0.0, "b": 0.0, "c": 0.4}
    wide = paired_difference([best[key] - other[key] for key in best], 0)
    assert wide.high is not None and wide.high > 1
    variants = [Variant(name, {}, (), {RECALL: values}, 1.0, 1.0, "ms") for name, values in (("x", best), ("y", other))]
    found = leader(variants, RECALL, 0)
    assert found is not None
    assert 0 <= found["low"] <= found["high"] <= 1
    assert found["behind"][0]["high"] == 1.0
