"""What quality costs: the variants that no other beats in quality, time and price together (Pareto)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragbench.compare.table import higher_is_better
from ragbench.findings.leader import common
from ragbench.findings.variant import Variant

Row = dict[str, Any]


def front(variants: Sequence[Variant], measure: str) -> Row | None:
    """One row a variant with its mean, milliseconds and cost of a question; `front` where no other is at least as good
    in all and better in one.

    It goes by means, as they were measured: times are those of this machine. Cost takes part only where it is known of
    every variant in one unit, and differs. None for fewer than two variants with a mean and a time.
    """
    asked = [one for one in variants if one.values.get(measure) and one.ms is not None]
    ids = common([one.values[measure] for one in asked])
    if len(asked) < 2 or not ids:
        return None
    sign = 1 if higher_is_better(measure) else -1
    means = [sum(one.values[measure][key] for key in ids) / len(ids) for one in asked]
    unit = _unit(asked)
    points = [
        (sign * round(mean, 12), -(one.ms or 0.0), -(one.cost or 0.0) if unit else 0.0)
        for mean, one in zip(means, asked, strict=True)
    ]
    rows = [
        {"run_id": one.run_id, "mean": mean, "ms": one.ms, "cost": one.cost if unit else None}
        | {"front": not any(_beats(other, point) for other in points)}
        for one, mean, point in zip(asked, means, points, strict=True)
    ]
    return {"unit": unit, "better": sign, "rows": rows}


def _unit(asked: Sequence[Variant]) -> str:
    """The one unit of all costs that are known and not 0; empty where there is none."""
    units = {one.unit for one in asked if one.cost}
    known = all(one.cost is not None for one in asked)
    return units.pop() if known and len(units) == 1 else ""


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))
