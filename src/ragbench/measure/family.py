"""A measure with its cut-off still open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from ragbench.errors import ConfigError
from ragbench.measure.base import Measure, Outcome, Population, Reach
from ragbench.measure.name import MeasureName
from ragbench.records.score import SubjectKind

UNBOUNDED = (0.0, inf)


@dataclass(frozen=True, slots=True)
class Family:
    """One line of the registry: `name` is `layer/measure`; `cutoff` says what the number after `@` counts (empty:
    none).

    `function(case)` or, with a cut-off, `function(case, k)`.
    """

    name: str
    definition: str
    function: Callable[..., Outcome]
    cutoff: str = ""
    subject: SubjectKind = "question"
    population: Population = Population.ALL
    reach: Reach = Reach.NOTHING
    higher_is_better: bool = True
    worst: float | None = 0.0
    bounds: tuple[float, float] = (0.0, 1.0)
    judged: bool = False

    @property
    def spelling(self) -> str:
        """As it stands in lists: `retrieval/recall@k`."""
        return f"{self.name}@k" if self.cutoff else self.name

    def at(self, k: int | None = None) -> Measure:
        """The measure at a cut-off; raises ConfigError where a cut-off is missing or there is none to set."""
        if bool(self.cutoff) != (k is not None):
            example = f"{self.name}@5" if self.cutoff else self.name
            raise ConfigError(f"measure {self.name}{'' if k is None else f'@{k}'}", expected=example)
        function: Callable[[Any], Outcome] = self.function if k is None else partial(self.function, k=k)
        name = MeasureName.parse(self.name)
        return Measure(
            name=str(MeasureName(name.layer, name.measure, k)),
            definition=self.definition,
            function=function,
            subject=self.subject,
            population=self.population,
            reach=self.reach,
            higher_is_better=self.higher_is_better,
            worst=self.worst,
            bounds=self.bounds,
            judged=self.judged,
        )
