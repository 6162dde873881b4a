"""Reading `stages` of a summary: which lists it compares, and what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.evaluate.aggregate import SMALL
from ragbench.evaluate.stage_effect_table import REGRESSION

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StageLoss:
    """A measure that fell on the way through a stage.

    `against` is the route a fusion is compared with, empty for a reranker; `category` is empty for all questions.
    `proven`: a regression, not only a fall that cannot be told from chance. `cell` is the measure's row in the summary.
    """

    stage: str
    against: str
    category: str
    measure: str
    n: int
    proven: bool
    cell: Mapping[str, Any]

    @property
    def below(self) -> bool:
        """Whether the interval, taken alone, lies wholly below 0; never for a handful of questions."""
        high = self.cell["high"]
        return high is not None and high < 0 and self.n >= SMALL


def comparisons(stages: Mapping[str, Any] | None) -> list[tuple[str, str, Table]]:
    """`(stage, against, table)` of what a run compared, in the order of the pipeline; empty for a run that tells
    nothing of its stages, or has neither."""
    fusion, rerank = ((stages or {}).get(stage) for stage in ("fusion", "rerank"))
    found = [("fusion", str(route), table) for route, table in ((fusion or {}).get("routes") or {}).items()]
    return [*found, *([("rerank", "", rerank)] if rerank else [])]


def over_better(stages: Mapping[str, Any] | None, measure: str) -> tuple[str, Mapping[str, Any]] | None:
    """The route that is better alone by a measure, and what fusion gains over it; None where nothing was compared."""
    fusion = (stages or {}).get("fusion") or {}
    route = (fusion.get("better") or {}).get(measure)
    return None if route is None else (str(route), fusion["routes"][route]["measures"][measure])


def losses(stages: Mapping[str, Any] | None) -> list[StageLoss]:
    """All that fell: regressions, then what lies below 0 but for the correction, then the rest; within these by stage,
    overall before categories."""
    found = (loss for one in comparisons(stages) for loss in _of(*one))
    return sorted(found, key=lambda loss: (not loss.proven, not loss.below))


def headline_measures(names: Sequence[str]) -> tuple[str, ...]:
    """The measures shown by category: the rank of the first evidence, and the deepest recall."""
    recalls = [name for name in names if name.startswith("recall@")]
    return tuple(name for name in ("mrr", *recalls[-1:]) if name in names)


def _of(stage: str, against: str, table: Table) -> Iterator[StageLoss]:
    groups = [("", table), *(table.get("by_category") or {}).items()]
    for category, group in groups:
        for measure, cell in group["measures"].items():
            if cell["verdict"]:
                proven = cell["verdict"] == REGRESSION
                yield StageLoss(stage, against, str(category), measure, int(group["n"]), proven, cell)
