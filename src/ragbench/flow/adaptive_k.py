"""One round of retrieval that packs more for questions that need more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite

from ragbench.errors import ConfigError
from ragbench.flow.base import Cuts
from ragbench.flow.one_shot import OneShotFlow
from ragbench.flow.rounds import check_cuts
from ragbench.records.question import COMPLEXITIES
from ragbench.records.trace import QueryView

UNKNOWN = "unknown"
"""The class of a question that no tier decided."""

CLASSES = (*COMPLEXITIES, UNKNOWN)


def class_of(view: QueryView) -> str:
    """What a question is taken for: one of `CLASSES`."""
    return view.complexity if view.complexity in COMPLEXITIES else UNKNOWN


def scaled(k: int, factor: float, floor: int) -> int:
    """`k` times `factor`, halves rounded up, at least `floor`."""
    return max(floor, int(k * factor + 0.5))


def check_factor(key: str, value: object) -> None:
    """Raises ConfigError unless it is a number above 0."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not number or not value > 0:  # type: ignore[operator]
        raise ConfigError(key, expected="a number above 0", found=repr(value))


@dataclass(frozen=True, kw_only=True)
class AdaptiveKFlow(OneShotFlow):
    """As `OneShotFlow`, with `k` times the factor of the question's class, at least `floor`.

    `factors` has one for each of `CLASSES`. The usual table is k 10 with ×0.5 for simple lookups, ×1 for ambiguous and
    unknown ones, ×1.5 for comparisons, ×2 for multi-hop and decomposable ones, floor 3.
    """

    floor: int
    factors: Mapping[str, float]

    def __post_init__(self) -> None:
        if not isinstance(self.factors, Mapping) or set(self.factors) != set(CLASSES):
            found = ", ".join(map(str, self.factors)) if isinstance(self.factors, Mapping) else repr(self.factors)
            raise ConfigError(
                "pipeline.flow.factors", expected=f"a factor for each of {', '.join(CLASSES)}", found=found
            )
        for name, value in self.factors.items():
            check_factor(f"pipeline.flow.factors.{name}", value)
        check_cuts(Cuts(self.pool_depth, self.recall_k, self.k))
        check_cuts(Cuts(self.pool_depth, self.recall_k, self.floor))
        check_cuts(replace(self.cuts, k=self.largest_k))

    @property
    def largest_k(self) -> int:
        """That of the class with the largest factor."""
        return scaled(self.k, max(self.factors.values()), self.floor)

    @property
    def needs_classes(self) -> bool:
        """It has nothing to go by without."""
        return True

    def k_for(self, view: QueryView) -> int:
        """`k` for the class of the question."""
        return scaled(self.k, self.factors[class_of(view)], self.floor)
