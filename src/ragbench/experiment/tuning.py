"""Choosing the best value of a knob, and what the choice is worth on questions that had no part in it.

The best of eleven values looks better on the questions it was chosen on than it is. So a value is chosen on one part of
the questions and told on another: on `dev` and `test` where a set has such splits of its own, else on each half of the
questions for the other half (cross-fitting), averaged over several ways of halving. Where several values are equally
good the middle one of them is chosen: the edge of a plateau is not where one would stand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragbench.stats.bootstrap import LEVEL, resample_counts
from ragbench.stats.paired import RESAMPLES

HALVINGS = 20
_DIGITS = 9

Floats = NDArray[np.float64]
Values = Mapping[str, Mapping[str, float]]
"""Variant → subject → value, in the better direction; every subject has a value for every variant."""


@dataclass(frozen=True)
class Pool:
    """One eval set: the values that are told, those that are chosen on (None: halves of what is told), and the category
    of each question of both."""

    name: str
    told: Values
    chosen_on: Values | None
    categories: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Best:
    """The best value by its number, with the bootstrap interval of where the best lies, over `n` subjects."""

    best: str
    low: float
    high: float
    n: int


def best_of(order: Sequence[str], sets: Sequence[Values]) -> str | None:
    """The variant with the highest mean over sets (one vote each); of equal ones the middle. None for no subjects."""
    kept = [matrix for values in sets if len(matrix := _matrix(order, values))]
    if not kept:
        return None
    return order[_middle(sum(one.mean(axis=0) for one in kept) / len(kept))]


def best_interval(axis: Mapping[str, float], sets: Sequence[Values], seed: int) -> Best | None:
    """The best value and the 95 % interval of its place: subjects are resampled within each set, the best is found
    again each time, and where values are equally good the interval reaches over all of them. None for under two
    subjects."""
    order = list(axis)
    best = best_of(order, sets)
    kept = [matrix for values in sets if len(matrix := _matrix(order, values))]
    n = sum(map(len, kept))
    if best is None or n < 2:
        return None
    means = np.zeros((RESAMPLES, len(order)))
    for place, one in enumerate(kept):
        counts = np.concatenate([block @ one for block in resample_counts(len(one), RESAMPLES, seed + place)])
        means += counts / len(one) / len(kept)
    means = means.round(_DIGITS)
    top = means == means.max(axis=1, keepdims=True)
    numbers = np.array([axis[name] for name in order])
    lows = np.sort(numbers[top.argmax(axis=1)])
    highs = np.sort(numbers[len(order) - 1 - top[:, ::-1].argmax(axis=1)])
    tail = int(RESAMPLES * (1 - LEVEL) / 2)
    return Best(best, float(lows[tail]), float(highs[-1 - tail]), n)


@dataclass(frozen=True)
class Told:
    """What choosing is worth: gains by subject for each set, and how often each value was chosen (shares)."""

    gains: Mapping[str, Mapping[str, float]]
    chosen: Mapping[str, float]


def tuned_gains(order: Sequence[str], value: str, pools: Sequence[Pool], seed: int) -> Told:
    """Gain of the value that is chosen, for all sets together, over `value`, by subject of the told questions."""
    gains: dict[str, dict[str, list[float]]] = {pool.name: {} for pool in pools}
    chosen: dict[str, int] = {}
    for choosing, telling in _folds(pools, seed):
        best = best_of(order, choosing)
        if best is None:
            continue
        chosen[best] = chosen.get(best, 0) + 1
        for pool, subjects in zip(pools, telling):
            for key in subjects:
                gains[pool.name].setdefault(key, []).append(pool.told[best][key] - pool.told[value][key])
    return Told(_averaged(gains), _shares(order, chosen))


def category_gains(order: Sequence[str], pools: Sequence[Pool], seed: int) -> Told:
    """Gain of choosing for each category over choosing once for all questions, by subject of the told questions.

    A category without questions to choose on takes the choice for all.
    """
    gains: dict[str, dict[str, list[float]]] = {pool.name: {} for pool in pools}
    chosen: dict[str, int] = {}
    for choosing, telling in _folds(pools, seed):
        general = best_of(order, choosing)
        if general is None:
            continue
        for category in sorted({one for pool in pools for one in pool.categories.values()}):
            own = best_of(order, [_only(v, pool, category) for v, pool in zip(choosing, pools)]) or general
            chosen[own] = chosen.get(own, 0) + 1
            for pool, subjects in zip(pools, telling):
                for key in subjects:
                    if pool.categories.get(key) == category:
                        found = pool.told[own][key] - pool.told[general][key]
                        gains[pool.name].setdefault(key, []).append(found)
    return Told(_averaged(gains), _shares(order, chosen))


def _folds(pools: Sequence[Pool], seed: int) -> list[tuple[list[Values], list[list[str]]]]:
    """Pairs of the values that are chosen on and the subjects that are told, a list item a pool."""
    folds = []
    for round_ in range(HALVINGS if any(pool.chosen_on is None for pool in pools) else 1):
        halves = [_halves(pool, f"{seed}/{round_}") for pool in pools]
        for side in (0, 1):
            choosing = [pool.chosen_on or _part(pool.told, half[side]) for pool, half in zip(pools, halves)]
            telling = [_all(pool) if pool.chosen_on else half[1 - side] for pool, half in zip(pools, halves)]
            folds.append((choosing, telling))
    return folds


def _halves(pool: Pool, salt: str) -> tuple[list[str], list[str]]:
    """Two halves of the told subjects by hashes, so that they are the same on every machine."""
    ordered = sorted(_all(pool), key=lambda key: hashlib.sha256(f"{salt}/{pool.name}/{key}".encode()).digest())
    return ordered[::2], ordered[1::2]


def _all(pool: Pool) -> list[str]:
    return list(next(iter(pool.told.values()), {}))


def _part(values: Values, subjects: Sequence[str]) -> Values:
    return {variant: {key: column[key] for key in subjects} for variant, column in values.items()}


def _only(values: Values, pool: Pool, category: str) -> Values:
    return {
        variant: {key: value for key, value in column.items() if pool.categories.get(key) == category}
        for variant, column in values.items()
    }


def _averaged(gains: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, dict[str, float]]:
    return {name: {key: sum(v) / len(v) for key, v in sorted(found.items())} for name, found in gains.items()}


def _shares(order: Sequence[str], chosen: Mapping[str, int]) -> dict[str, float]:
    total = sum(chosen.values())
    return {name: round(chosen[name] / total, 4) for name in order if name in chosen}


def _matrix(order: Sequence[str], values: Values) -> Floats:
    """Values [subjects, variants]; empty where there are no subjects."""
    keys = list(values.get(order[0], ()))
    return np.array([[values[name][key] for name in order] for key in keys]).reshape(len(keys), len(order))


def _middle(means: Floats) -> int:
    means = means.round(_DIGITS)
    best = np.flatnonzero(means == means.max())
    return int(best[(len(best) - 1) // 2])
