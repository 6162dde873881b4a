"""Scoring a run while it is answered: columns and outcomes stay, traces do not."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence

from ragbench.errors import DataError
from ragbench.evaluate.aggregate import summarise
from ragbench.evaluate.defaults import default_measures
from ragbench.evaluate.diagnose import Diagnosis, diagnose
from ragbench.evaluate.evaluator import question_block, with_corpus
from ragbench.evaluate.filling import Filling
from ragbench.evaluate.health import health_problems
from ragbench.evaluate.query_effect import QueryEffects
from ragbench.evaluate.refusal_curve import BEST_RELEVANCE, RefusalCurves
from ragbench.evaluate.stage_effect import StageEffects
from ragbench.evaluate.summary import Evaluation, How
from ragbench.measure.case import CaseMaker, VariantCase
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.measure.gold import Gold
from ragbench.measure.registry import measures as measures_named
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import QueryView, Trace
from ragbench.stats.quantile import p50, p95


class RunScorer:
    """Scores the fixed population `questions`, each question when its trace comes.

    What is kept of a question is its row of scores, its diagnosis, its times and what query understanding said of it.
    `seconds` is the time that scoring took so far. `gold` is shared by variants of one chunk set; None: it is made.
    Raises Problems for doubled questions.
    """

    def __init__(
        self, questions: Sequence[Question], corpus: ChunkedCorpus, how: How, gold: Gold | None = None
    ) -> None:
        self.questions = questions
        self.corpus = corpus
        self.how = how
        self.gold = Gold(questions, corpus) if gold is None else gold
        self.seconds = 0.0
        self._measures = default_measures(how.judged) if how.measures is None else measures_named(how.measures)
        self._maker = CaseMaker(self.gold, how.stages)
        self._rows = {question.id: row for row, question in enumerate(questions)}
        self._scores = question_block(list(self._rows), self._measures)
        self._filling = Filling(self._scores)
        self._seen: dict[int, tuple[Diagnosis, QueryView | None]] = {}
        self._times: dict[str, array[float]] = {}
        self._effects = StageEffects(questions, how.rules, how.compared) if how.compared is not None else None
        self._asked = QueryEffects(questions, how.rules, how.compared) if how.compared is not None else None
        self._refusals = RefusalCurves(questions)
        self._by_relevance = RefusalCurves(questions, BEST_RELEVANCE) if how.min_max is not None else None

    def add(self, trace: Trace, verdict: Verdict | None = None) -> None:
        """Score one question; raises DataError for a second trace and for one of an unknown question."""
        started = time.perf_counter()
        row = self._rows.get(trace.question_id)
        if row is None or row in self._seen:
            found = "no such question in the eval set" if row is None else "a second trace"
            raise DataError(f"trace of {trace.question_id}", expected="one trace a question", found=found)
        self._score(row, trace, verdict)
        for stage, ms in trace.timings_ms.items():
            self._times.setdefault(stage, array("d")).append(ms)
        if trace.error is None:  # half a way is not a fast one
            self._times.setdefault("total", array("d")).append(sum(trace.timings_ms.values()))
        self.seconds += time.perf_counter() - started

    def finish(self) -> Evaluation:
        """Aggregates, diagnosis and health of the whole run; questions that never came count as absent."""
        for row in range(len(self.questions)):
            if row not in self._seen:
                self._score(row, None, None)
        seen = [self._seen[row] for row in range(len(self.questions))]
        queries = [(question, view) for question, (_, view) in zip(self.questions, seen, strict=True)]
        table = with_corpus(self._scores, VariantCase(self.corpus, queries), self.gold, self._measures)
        latency = {stage: {"p50": p50(ms), "p95": p95(ms), "n": len(ms)} for stage, ms in self._times.items()}
        return Evaluation(
            table=table,
            summary=summarise(table, self.questions, seed=self.how.seed),
            diagnoses=[diagnosis for diagnosis, _ in seen],
            latency=latency,
            health=tuple(health_problems(table)),
            stages=self._effects.tell(self.how.seed, latency.get("rerank")) if self._effects is not None else None,
            query=self._asked.tell(self.how.seed, latency.get("query")) if self._asked is not None else None,
            refusal=self._refusals.tell(self.how.refuse_below),
            refusal_by_relevance=self._by_relevance.tell(self.how.min_max) if self._by_relevance is not None else None,
        )

    def _score(self, row: int, trace: Trace | None, verdict: Verdict | None) -> None:
        case = self._maker.case(row, trace, verdict)
        self._filling.fill(row, case)
        self._seen[row] = diagnose(case, self.how.rules), case.query[1]
        if self._effects is not None:
            self._effects.add(row, case)
        if self._asked is not None:
            self._asked.add(row, case)
        self._refusals.add(row, case)
        if self._by_relevance is not None:
            self._by_relevance.add(row, case)
