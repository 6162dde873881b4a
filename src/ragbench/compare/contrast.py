"""One measure of two runs, paired by subject: every pair accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite

import numpy as np

from ragbench.compare.columns import Column, family_of, sign_of
from ragbench.compare.scale import difference_on_scale
from ragbench.compare.table import CEILING
from ragbench.stats.family import eligible
from ragbench.stats.paired import Difference, holm, paired_differences, sign_flip_p
from ragbench.stats.sign_flip import smallest_p

ALPHA = 0.05
BETTER, WORSE, SAME, OPEN, TOO_FEW = "better", "worse", "same", "open", "too_few"
UNTESTED, NOT_COMPARABLE, NO_PAIRS = "untested", "not_comparable", "no_pairs"


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the subjects of both runs. `failed_a` and `failed_b` are among the pairs where a measure has a
    worst value, which then stands for them; `only_a` and `only_b` have a value in one run alone (n/a or nothing there)
    and `neither` in none: these are in no mean."""

    pairs: int
    better: int
    worse: int
    failed_a: int = 0
    failed_b: int = 0
    only_a: int = 0
    only_b: int = 0
    neither: int = 0

    @property
    def changed(self) -> int:
        """Pairs whose two values differ."""
        return self.better + self.worse


@dataclass(frozen=True, slots=True)
class Contrast:
    """B − A of one measure over all questions, or those of one category. `a` and `b` are means over the pairs, `better`
    is 1 where more is better, else −1. `p_holm` is corrected over the whole family; None: not in it. `limit` is
    `ceiling` or `floor` where nearly all values of both runs stand at the best or worst one."""

    metric: str
    category: str
    a: float | None
    b: float | None
    found: Difference
    better: int
    counts: Counts
    p_holm: float | None = None
    state: str = OPEN
    why: str = ""
    limit: str = ""

    @property
    def gain(self) -> float:
        """The difference in the better direction; 0 for none."""
        return (self.found.mean or 0.0) * self.better


@dataclass(frozen=True, slots=True)
class Asked:
    """A contrast to be made: the two columns, the subjects it is about, and why it may not be tested (empty: it may).

    `state` is what it then is.
    """

    metric: str
    category: str
    a: Column
    b: Column
    subjects: Sequence[str]
    state: str = ""
    why: str = ""


def contrasts_of(asked: Sequence[Asked], seed: int) -> list[Contrast]:
    """The contrasts in the given order, without correction. Intervals of the same number of pairs share one draw."""
    pairs = [[key for key in one.subjects if key in one.a.values and key in one.b.values] for one in asked]
    order = sorted(range(len(asked)), key=lambda at: len(pairs[at]))
    made: dict[int, Contrast] = {}
    for n, places in groupby(order, key=lambda at: len(pairs[at])):
        group = list(places)
        sides = [_values(asked[at], pairs[at]) for at in group]
        columns = np.array([b - a for a, b in sides], dtype=np.float64).reshape(len(group), n).T
        found = paired_differences(np.ascontiguousarray(columns), seed)
        for at, (a, b), difference in zip(group, sides, found, strict=True):
            made[at] = _contrast(asked[at], pairs[at], a, b, difference)
    return [_tested(made[at], asked[at], pairs[at], seed) for at in range(len(asked))]


def corrected(found: Sequence[Contrast]) -> list[Contrast]:
    """Holm's correction, and what can be said of each contrast.

    What is over all questions and what is by category are two families; where both are there each has half of the 5 %,
    so that with no difference at all at most one comparison in twenty says anything, and a verdict does not pay for
    every category. Contrasts with so few changed pairs that even all of them in one direction could not be significant
    are `too_few` and leave their family (`stats.family.eligible`); those without any change are `same`, with p 1.
    """
    tested = [one.state == OPEN and one.counts.changed > 0 for one in found]
    families = [[at for at, one in enumerate(found) if tested[at] and bool(one.category) is by] for by in (False, True)]
    families = [family for family in families if family]
    ps: dict[int, float | None] = {}
    for family in families:
        able = eligible([smallest_p(found[at].counts.changed) for at in family], ALPHA / len(families))
        raw = [found[at].found.p if counted else None for at, counted in zip(family, able)]
        ps |= {at: None if p is None else min(1.0, p * len(families)) for at, p in zip(family, holm(raw))}
    return [_said(one, ps.get(at), at in ps and ps[at] is None) for at, one in enumerate(found)]


def _said(one: Contrast, p: float | None, few: bool) -> Contrast:
    if one.state != OPEN:
        return one
    if one.counts.changed == 0:
        return replace(one, state=SAME, p_holm=1.0)
    if few:
        return replace(one, state=TOO_FEW)
    if p is not None and p < ALPHA:
        return replace(one, state=BETTER if one.gain > 0 else WORSE, p_holm=p)
    return replace(one, p_holm=p)


def _values(one: Asked, keys: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    a, b = (np.array([side.values[key] for key in keys], dtype=np.float64) for side in (one.a, one.b))
    return a, b


def _contrast(one: Asked, keys: Sequence[str], a: np.ndarray, b: np.ndarray, found: Difference) -> Contrast:
    sign = sign_of(one.metric)
    gains = sign * (b - a)
    known = set(one.subjects)
    counts = Counts(
        pairs=len(keys),
        better=int((gains > 0).sum()),
        worse=int((gains < 0).sum()),
        failed_a=len(one.a.failed & known),
        failed_b=len(one.b.failed & known),
        only_a=sum(key in one.a.values and key not in one.b.values for key in one.subjects),
        only_b=sum(key in one.b.values and key not in one.a.values for key in one.subjects),
        neither=sum(key not in one.a.values and key not in one.b.values for key in one.subjects),
    )
    means = [round(float(values.mean()), 12) if len(keys) else None for values in (a, b)]
    limit = _limit(one.metric, a, b)
    cut = difference_on_scale(found, one.metric)
    return Contrast(one.metric, one.category, means[0], means[1], cut, sign, counts, limit=limit)


def _tested(made: Contrast, one: Asked, keys: Sequence[str], seed: int) -> Contrast:
    if one.state:
        return replace(made, state=one.state, why=one.why)
    if not keys:
        return replace(made, state=NO_PAIRS)
    p = sign_flip_p([one.b.values[key] - one.a.values[key] for key in keys], seed)
    return replace(made, found=replace(made.found, p=p))


def _limit(metric: str, a: np.ndarray, b: np.ndarray) -> str:
    """Where at least 95 % of the values of both runs stand at one end of the scale."""
    low, high = family_of(metric).bounds
    best, worst = (high, low) if sign_of(metric) > 0 else (low, high)
    for name, end in (("ceiling", best), ("floor", worst)):
        if isfinite(end) and len(a) and all(float((values == end).mean()) >= CEILING for values in (a, b)):
            return name
    return ""


def named(found: Sequence[Contrast], state: str) -> list[Contrast]:
    """Those of one state, the largest share of their scale first; ties by name. A category says nothing more where its
    measure is of that state over all questions."""
    whole = {one.metric for one in found if one.state == state and not one.category}
    chosen = [one for one in found if one.state == state and not (one.category and one.metric in whole)]
    return sorted(chosen, key=lambda one: (one.metric.startswith("cost/"), -abs(one.gain), one.metric, one.category))
