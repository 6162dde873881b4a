"""The content of summary.json: aggregates, diagnosis, latency, health."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.evaluate.aggregate import Summary
from ragbench.evaluate.diagnose import Diagnosis, DiagnosisRules, tally, tally_by_category
from ragbench.evaluate.stage_effect import Compared
from ragbench.evaluate.table import ScoreTable
from ragbench.measure.base import Reach
from ragbench.records.score import Aggregate


@dataclass(frozen=True)
class How:
    """How a run is measured. `measures` None means all that apply, among them `judged`, those that the judge gives.

    `stages` are the parts the variant has; measures of the others do not apply to it. `compared` says of which stages
    the effect is told; None: of none.
    `refuse_below` is the confidence under which the variant refuses; None: it has no such threshold. `min_max` is the
    relevance of the best block under which it does, 0 where that is off; None: relevance is not calibrated.
    """

    measures: tuple[str, ...] | None
    judged: tuple[str, ...]
    seed: int
    rules: DiagnosisRules
    stages: frozenset[Reach] = frozenset(Reach)
    compared: Compared | None = None
    refuse_below: float | None = None
    min_max: float | None = None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluated run. `health` says why the figures are no result, `stages` what fusion and reranking changed,
    `query` what query understanding said and changed (None: nobody asked), `refusal` and
    `refusal_by_relevance` what other thresholds would refuse (None: cannot be told)."""

    table: ScoreTable
    summary: Summary
    diagnoses: Sequence[Diagnosis]
    latency: Mapping[str, Mapping[str, float | None]]
    health: tuple[str, ...]
    stages: Mapping[str, Any] | None = None
    query: Mapping[str, Any] | None = None
    refusal: Mapping[str, Any] | None = None
    refusal_by_relevance: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The metric parts of summary.json."""
        return {
            "metrics": _plain(self.summary.overall),
            **{f"by_{facet}": {k: _plain(v) for k, v in of.items()} for facet, of in self.summary.by.items()},
            "macro_by_category": dict(self.summary.macro),
            "counts": {facet: dict(of) for facet, of in self.summary.counts.items()},
            "small_categories": list(self.summary.small),
            "diagnosis": tally(self.diagnoses),
            "diagnosis_by_question": {one.question_id: one.loss.value for one in self.diagnoses},
            "diagnosis_by_category": tally_by_category(self.diagnoses),
            "stages": self.stages,
            "query": self.query,
            "refusal": self.refusal,
            "refusal_by_relevance": self.refusal_by_relevance,
            "health": list(self.health),
        }


def _plain(aggregates: Mapping[str, Aggregate]) -> dict[str, Any]:
    return {name: aggregate.to_json() for name, aggregate in aggregates.items()}
