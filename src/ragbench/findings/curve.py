"""A measure over a numeric axis, with its knee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragbench.compare.scale import mean_on_scale
from ragbench.compare.table import higher_is_better
from ragbench.findings.effects import axis_values
from ragbench.findings.knee import find_knee
from ragbench.findings.leader import common
from ragbench.findings.variant import Values, Variant
from ragbench.stats.paired import paired_differences

Row = dict[str, Any]


def curve(variants: Sequence[Variant], axis: str, measure: str, seed: int) -> Row | None:
    """Mean and interval at each value of an axis, in ascending order, the best value and the knee.

    Values are averaged over the settings of the other axes in which every value was run. None where the axis has fewer
    than three values, one that is no number, or no such setting, or where nothing moves. `find_knee` says what the knee
    is.
    """
    numbers = {value: number(value) for value in axis_values(variants, axis)}
    if len(numbers) < 3 or None in numbers.values():
        return None
    order = sorted(numbers, key=lambda value: numbers[value] or 0.0)
    settings = [of for of in _settings(variants, axis, measure) if len(of) == len(order)]
    ids = common([column for of in settings for column in of.values()]) if settings else []
    if len(ids) < 2:
        return None
    means = {value: {key: sum(of[value][key] for of in settings) / len(settings) for key in ids} for value in order}
    if all(means[value] == means[order[0]] for value in order):
        return None
    sign = 1 if higher_is_better(measure) else -1
    signed = {value: {key: sign * one for key, one in column.items()} for value, column in means.items()}
    found = find_knee(order, [signed], seed)
    columns = np.array([list(means[value].values()) for value in order]).T
    means_of = [mean_on_scale(one, measure) for one in paired_differences(columns, seed)]
    told = dict(zip(order, means_of, strict=True))
    points = [{"value": numbers[v], "mean": told[v].mean, "low": told[v].low, "high": told[v].high} for v in order]
    knee, best = (None, None) if found is None else (numbers[found.knee], numbers[found.best])
    return {"axis": axis, "best": best, "knee": knee, "n": len(ids), "settings": len(settings), "points": points}


def number(value: str) -> float | None:
    """A value of an axis as a number, a share of 10% as 10; None where it is none."""
    try:
        found = float(value.rstrip("%"))
    except ValueError:
        return None
    return found if found - found == 0 else None


def _settings(variants: Sequence[Variant], axis: str, measure: str) -> list[Mapping[str, Values]]:
    """For each setting of the other axes: the values by question at each value of the axis."""
    found: dict[tuple[tuple[str, str], ...], dict[str, Values]] = {}
    for one in variants:
        if one.values.get(measure):
            for place in one.places:
                if axis in place:
                    rest = tuple(sorted((key, value) for key, value in place.items() if key != axis))
                    found.setdefault(rest, {})[place[axis]] = one.values[measure]
    return list(found.values())
