"""Every question before and after a stage, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ragbench.evaluate.stage_effect_ranks import Ranks, values


@dataclass(eq=False)
class Pairs:
    """Every question before and after a stage: `before`, `after` and, for a stage that has one, `ceiling` are
    [questions, measures], NaN where a question is not compared. `depth` is the rank that decides whether a question is
    rescued or lost."""

    names: tuple[str, ...]
    depth: int
    n: int
    capped: bool = False
    before: NDArray[np.float64] = field(init=False)
    after: NDArray[np.float64] = field(init=False)
    ceiling: NDArray[np.float64] | None = field(init=False)
    turned: NDArray[np.int8] = field(init=False)
    excluded: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is compared yet."""
        shape = (self.n, len(self.names))
        self.before, self.after = (np.full(shape, np.nan) for _ in range(2))
        self.ceiling = np.full(shape, np.nan) if self.capped else None
        self.turned = np.zeros(self.n, dtype=np.int8)
        self.excluded = ["absent"] * self.n

    def add(self, row: int, before: Ranks, after: Ranks, ideal: Ranks = ()) -> None:
        """Compare one question; `ideal` are the ranks of its ceiling."""
        self.excluded[row] = ""
        self.before[row] = values(before, self.names)
        self.after[row] = self.before[row] if after == before else values(after, self.names)
        self.turned[row] = _hits(after, self.depth) - _hits(before, self.depth)
        if self.ceiling is not None:
            self.ceiling[row] = values(ideal, self.names)

    def put(self, row: int, before: Sequence[float], after: Sequence[float], turned: int) -> None:
        """Compare one question by values that are known: one a measure, and whether it was rescued (1) or lost (−1)."""
        self.excluded[row] = ""
        self.before[row], self.after[row], self.turned[row] = before, after, turned

    @property
    def compared(self) -> NDArray[np.bool_]:
        """Which questions are."""
        return np.array([not why for why in self.excluded], dtype=bool)


def _hits(ranks: Ranks, depth: int) -> int:
    return int(any(0 < rank <= depth for rank in ranks))
