"""The knee of a curve over an ordered knob, found by paired tests and not by the shape of the means.

The best value is the one with the highest mean gain; the knee is the smallest value whose paired difference to the best
is not significant (sign-flip test, Holm's correction over the other values, 5 %). Kneedle (Satopää et al., 2011) looks
for the point of largest curvature, which noise alone can make; this asks from where on more brings nothing that these
questions can show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbench.stats.paired import Difference, holm, pooled_difference

ALPHA = 0.05

Values = Mapping[str, Mapping[str, float]]
"""Of one eval set: variant → subject → value, in the better direction."""


@dataclass(frozen=True, slots=True)
class Knee:
    """`behind[x]` is how far x lies behind the best, with Holm's p in `p`; neither has the best itself. `n` subjects
    have a value for every x."""

    best: str
    knee: str
    behind: Mapping[str, Difference]
    p: Mapping[str, float]
    n: int


def find_knee(order: Sequence[str], sets: Sequence[Values], seed: int) -> Knee | None:
    """The knee over variants in ascending order, pooled over sets with one vote each.

    Only subjects with a value for every variant count. Ties of the best go to the smaller value. None where there are
    fewer than three variants or fewer than two subjects.
    """
    kept = [(values, ids) for values in sets if (ids := _common(order, values))]
    n = sum(len(ids) for _, ids in kept)
    if len(order) < 3 or n < 2:
        return None
    means = {
        name: sum(sum(values[name][key] for key in ids) / len(ids) for values, ids in kept) / len(kept)
        for name in order
    }
    best = max(order, key=lambda name: (round(means[name], 12), -order.index(name)))
    others = [name for name in order if name != best]
    behind = {
        name: pooled_difference([[values[best][key] - values[name][key] for key in ids] for values, ids in kept], seed)
        for name in others
    }
    p = {name: value or 0.0 for name, value in zip(others, holm([behind[name].p for name in others]))}
    knee = next(name for name in order if name == best or p[name] >= ALPHA)
    return Knee(best, knee, behind, p, n)


def _common(order: Sequence[str], values: Values) -> list[str]:
    if not all(values.get(name) for name in order):
        return []
    return [key for key in values[order[0]] if all(key in values[name] for name in order)]
