"""From traces to the content of summary.json: scores, aggregates, diagnosis, cost, health."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.evaluate.aggregate import Summary, summarise
from ragbench.evaluate.defaults import default_measures
from ragbench.evaluate.diagnose import Diagnosis, DiagnosisRules, diagnose_all, tally, tally_by_category
from ragbench.evaluate.evaluator import evaluate
from ragbench.evaluate.health import health_problems
from ragbench.evaluate.table import ScoreTable
from ragbench.measure.case import ChunkedCorpus, make_cases
from ragbench.measure.registry import measures as measures_named
from ragbench.records.question import Question
from ragbench.records.score import Aggregate, Verdict
from ragbench.records.trace import Trace
from ragbench.stats.quantile import p50, p95


@dataclass(frozen=True)
class How:
    """How a run is measured. `measures` None means all that apply; `judged` false leaves out what needs a judge."""

    measures: tuple[str, ...] | None
    judged: bool
    seed: int
    rules: DiagnosisRules


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluated run. `lost` maps a question to the class of its diagnosis; `health` says why the figures are no
    result."""

    table: ScoreTable
    summary: Summary
    diagnoses: Sequence[Diagnosis]
    latency: Mapping[str, Mapping[str, float | None]]
    health: tuple[str, ...]

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
            "health": list(self.health),
        }


def evaluate_run(
    questions: Sequence[Question],
    traces: Sequence[Trace],
    verdicts: Sequence[Verdict],
    corpus: ChunkedCorpus,
    how: How,
) -> Evaluation:
    """Score and aggregate the traces of a run on the fixed population `questions`; absent questions are counted, not
    dropped."""
    cases = make_cases(questions, traces, corpus, verdicts)
    chosen = default_measures(judged=how.judged) if how.measures is None else measures_named(how.measures)
    table = evaluate(cases, corpus, chosen)
    return Evaluation(
        table=table,
        summary=summarise(table, questions, seed=how.seed),
        diagnoses=diagnose_all(cases, how.rules),
        latency=_latency(traces),
        health=tuple(health_problems(table)),
    )


def _latency(traces: Sequence[Trace]) -> dict[str, dict[str, float | None]]:
    stages: dict[str, list[float]] = {}
    for trace in traces:
        for stage, ms in trace.timings_ms.items():
            stages.setdefault(stage, []).append(ms)
        stages.setdefault("total", []).append(sum(trace.timings_ms.values()))
    return {stage: {"p50": p50(values), "p95": p95(values), "n": len(values)} for stage, values in stages.items()}


def _plain(aggregates: Mapping[str, Aggregate]) -> dict[str, Any]:
    return {name: aggregate.to_json() for name, aggregate in aggregates.items()}
