"""Questions paired over the two sides of a gate, for one measure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragbench.gate.side import Cell, Column
from ragbench.measure.base import Measure
from ragbench.records.score import Status

SATURATED = 0.95
"""Share of the scored values at the best one from which on a measure is saturated."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The questions that are scored or FAILED on both sides, FAILED as the worst value.

    `before` and `now` are values [pairs]. `appeared` and `vanished` are questions the measure did not apply to on one
    side alone: before, or now. `missing` have no cell on one side. `failed` counts FAILED cells before and now,
    `saturated` says of each side whether at least 95 % of what it scored is the best value.
    """

    measure: Measure
    ids: tuple[str, ...]
    before: Floats
    now: Floats
    appeared: tuple[str, ...]
    vanished: tuple[str, ...]
    missing: tuple[str, ...]
    failed: tuple[int, int]
    saturated: tuple[bool, bool]

    @property
    def n(self) -> int:
        """Number of pairs."""
        return len(self.ids)

    def quality(self, values: Floats) -> Floats:
        """Distances from the worst value, so that more is better for every measure."""
        assert self.measure.worst is not None
        return np.abs(values - self.measure.worst)

    @property
    def losses(self) -> Floats:
        """Quality that each pair lost; below 0 where it gained."""
        return self.quality(self.before) - self.quality(self.now)


def pairs_of(measure: Measure, before: Column, now: Column, questions: Collection[str]) -> Pairs:
    """The pairs of a measure among some questions, in their order."""
    ids, appeared, vanished, missing = [], [], [], []
    for question in questions:
        old, new = before.get(question), now.get(question)
        if old is None or new is None:
            missing.append(question)
        elif old[0] is Status.NOT_APPLICABLE and new[0] is Status.NOT_APPLICABLE:
            continue
        elif old[0] is Status.NOT_APPLICABLE:
            appeared.append(question)
        elif new[0] is Status.NOT_APPLICABLE:
            vanished.append(question)
        else:
            ids.append(question)
    sides = [[column[question] for question in ids] for column in (before, now)]
    whole = [[column[question] for question in questions if question in column] for column in (before, now)]
    old_values, new_values = (_values(cells, measure) for cells in sides)
    return Pairs(
        measure=measure,
        ids=tuple(ids),
        before=old_values,
        now=new_values,
        appeared=tuple(appeared),
        vanished=tuple(vanished),
        missing=tuple(missing),
        failed=(_failed(whole[0]), _failed(whole[1])),
        saturated=(_saturated(whole[0], measure), _saturated(whole[1], measure)),
    )


def worst_mean(measure: Measure, column: Column) -> float | None:
    """Mean of a side with FAILED as the worst value; None where the measure applied to no question."""
    values = _values([cell for cell in column.values() if cell[0] is not Status.NOT_APPLICABLE], measure)
    return float(values.mean()) if len(values) else None


def _values(cells: list[Cell], measure: Measure) -> Floats:
    return np.array([measure.worst if value is None else value for _, value in cells], dtype=np.float64)


def _failed(cells: list[Cell]) -> int:
    return sum(status is Status.FAILED for status, _ in cells)


def _saturated(cells: list[Cell], measure: Measure) -> bool:
    best = measure.bounds[1] if measure.higher_is_better else measure.bounds[0]
    scored = [value for _, value in cells if value is not None]
    return bool(scored) and sum(value == best for value in scored) >= SATURATED * len(scored)
