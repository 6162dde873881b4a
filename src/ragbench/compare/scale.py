"""Intervals that end where the scale of a measure ends."""

from __future__ import annotations

from dataclasses import replace

from ragbench.stats.paired import Difference


def mean_on_scale(found: Difference, measure: str) -> Difference:
    """The mean of a measure with its interval cut at the measure's bounds.

    Intervals are widened for small samples and reach beyond them otherwise: of three questions all but right, Student's
    interval ends above 1. No mean lies there, so that the cut costs no coverage. Measures that are not ours have none.
    """
    return _cut(found, *_bounds(measure))


def difference_on_scale(found: Difference, measure: str) -> Difference:
    """As `mean_on_scale`, of a difference of two means, which lies within the width of the scale in both directions."""
    low, high = _bounds(measure)
    return _cut(found, low - high, high - low)


def _cut(found: Difference, low: float, high: float) -> Difference:
    if found.low is None or found.high is None or (low <= found.low and found.high <= high):
        return found
    return replace(found, low=max(low, found.low), high=min(high, found.high))


def _bounds(measure: str) -> tuple[float, float]:
    from ragbench.measure.registry import registry

    family = registry().get(measure.partition("@")[0])
    return family.bounds if family else (float("-inf"), float("inf"))
