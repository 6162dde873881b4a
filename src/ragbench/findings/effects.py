"""What each axis of a sweep does, over everything else that was varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.scale import difference_on_scale
from ragbench.compare.table import higher_is_better
from ragbench.findings.leader import ALPHA, common
from ragbench.findings.variant import Values, Variant
from ragbench.stats.paired import holm, paired_difference

Row = dict[str, Any]
Place = tuple[Mapping[str, str], Values]


def axis_values(variants: Sequence[Variant], axis: str) -> list[str]:
    """Values of an axis, in the order of the grid."""
    return list(dict.fromkeys(place[axis] for one in variants for place in one.places if axis in place))


def main_effect(variants: Sequence[Variant], axis: str, measure: str, seed: int, base: str | None = None) -> Row | None:
    """The mean difference of each value of an axis to a reference: `base`, or the value that does best.

    Two values are compared over all pairs of variants that agree on every other axis both of them read; a question's
    difference is its mean over these pairs, so that the interval resamples questions. Differences are as they are
    (`better` says which sign is good), p is Holm's over the values of the axis. None where fewer than two values can be
    compared.
    """
    values = axis_values(variants, axis)
    places = {value: _places(variants, axis, value, measure) for value in values}
    values = [value for value in values if places[value]]
    if len(values) < 2:
        return None
    sign = 1 if higher_is_better(measure) else -1
    reference = base if base in values else _best(values, places, axis, sign)
    others = [value for value in values if value != reference]
    pairs = {value: _differences(places[value], places[reference], axis) for value in others}
    found = {
        value: difference_on_scale(paired_difference(list(pairs[value][0].values()), seed), measure) for value in others
    }
    told = [value for value in others if found[value].n > 1]
    if not told:
        return None
    corrected = dict(zip(told, holm([found[value].p for value in told]), strict=True))
    rows = []
    for value in told:
        one, p = found[value], corrected[value]
        row = {"value": value, "mean": one.mean, "low": one.low, "high": one.high, "p": p, "n": one.n}
        rows.append(row | {"pairs": pairs[value][1], "apart": p is not None and p < ALPHA})
    return {"axis": axis, "reference": reference, "is_base": reference == base, "better": sign, "values": rows}


def _places(variants: Sequence[Variant], axis: str, value: str, measure: str) -> list[Place]:
    asked = [one for one in variants if one.values.get(measure)]
    return [(place, one.values[measure]) for one in asked for place in one.places if place.get(axis) == value]


def _best(values: Sequence[str], places: Mapping[str, Sequence[Place]], axis: str, sign: int) -> str:
    """The value furthest above the first; ties go to the earlier one."""
    gains = {values[0]: 0.0}
    for value in values[1:]:
        differences = _differences(places[value], places[values[0]], axis)[0].values()
        gains[value] = sign * sum(differences) / len(differences) if differences else float("-inf")
    return max(values, key=lambda value: (round(gains[value], 12), -values.index(value)))


def _differences(left: Sequence[Place], right: Sequence[Place], axis: str) -> tuple[dict[str, float], int]:
    """Left minus right by question, the mean over the pairs that agree on what both read, and the number of pairs."""
    pairs = [(a, b) for at, a in left for other, b in right if _agree(at, other, axis)]
    ids = common([column for pair in pairs for column in pair]) if pairs else []
    return {key: sum(a[key] - b[key] for a, b in pairs) / len(pairs) for key in ids}, len(pairs)


def _agree(one: Mapping[str, str], other: Mapping[str, str], axis: str) -> bool:
    return all(other.get(key, value) == value for key, value in one.items() if key != axis)
