"""Lengths and shares in a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Number = TypeVar("Number", int, float)


def lengths(values: Sequence[int]) -> dict[str, int] | None:
    """Count, least, median, 90th percentile and largest; percentiles are values that occur (nearest rank)."""
    if not values:
        return None
    ordered = sorted(values)
    return {
        "n": len(ordered),
        "min": ordered[0],
        "median": nearest_rank(ordered, 0.5),
        "p90": nearest_rank(ordered, 0.9),
        "max": ordered[-1],
    }


def nearest_rank(ordered: Sequence[Number], share: float) -> Number:
    """The smallest of the ascending values that at least `share` (in (0, 1]) of them do not exceed."""
    thousandths = round(share * 1000) * len(ordered)
    return ordered[max(0, -(-thousandths // 1000) - 1)]
