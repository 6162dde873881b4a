"""What language models cost in a run, by role: in full, whatever came from a store, and what was really sent."""

from __future__ import annotations

from typing import Any

from ragbench.evaluate.health import MAX_FAILED, UNRECORDED
from ragbench.llm.cassettes import MissingEntry
from ragbench.llm.ledger import now_counts
from ragbench.records.trace import Trace
from ragbench.run.answer_facts import AnswerFacts
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session

_TOLD = 3


class ModelCosts:
    """Counts from when it is made to when it is read."""

    def __init__(self, experiment: Experiment, session: Session, n_questions: int) -> None:
        self._models = session.models(experiment)
        self._before = self._models.ledger.state()
        self._n = n_questions
        self._reasons: list[str] = []
        self._unrecorded: list[str] = []
        self._answers = AnswerFacts(experiment.pipeline.generator.asks)

    def add(self, trace: Trace) -> None:
        """Note what understanding a question said, its answer, and whether a recording was lacking."""
        if trace.query.fallback:
            self._reasons.append(trace.query.fallback)
        if (trace.error or "").startswith(f"{MissingEntry.__name__}:"):
            self._unrecorded.append(f"{trace.question_id}: {trace.error}")
        self._answers.add(trace)

    def told(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """`cost` by role and what was really `sent`; empty where no model was asked."""
        counts = self._models.ledger.since(self._before)
        self._models.flush()
        return self._models.ledger.cost(counts), now_counts(counts)

    def notes(self) -> list[str]:
        """Limits of the budget that could not be kept."""
        return self._models.budget.notes()

    def facts(self) -> dict[str, dict[str, Any]]:
        """By stage. `query`: questions planned without a reply that was asked for, and the first reasons, empty where
        there are none; `generator`: see `AnswerFacts.facts`."""
        reasons = list(dict.fromkeys(self._reasons))
        planned = {"fallbacks": len(self._reasons), "reasons": reasons[:_TOLD]} if reasons else {}
        return {"query": planned, "generator": self._answers.facts()}

    def problems(self) -> list[str]:
        """Why the run is no result, or says little of its query stage.

        A replay that lacks a recording is none, however few questions lack one. More than 10 % of the questions
        planned by rules, since a model gave no usable reply, say little; with models off that is what was asked for.
        """
        return [*self._lacking(), *self._fallen_back()]

    def _lacking(self) -> list[str]:
        n = len(self._unrecorded)
        return [f"{UNRECORDED}: {n} of {self._n} questions lack a recording; first {self._unrecorded[0]}"] if n else []

    def _fallen_back(self) -> list[str]:
        if self._models.refuses or len(self._reasons) <= MAX_FAILED * self._n:
            return []
        first = self._reasons[0]
        return [f"query: {len(self._reasons)} of {self._n} questions planned without the model's reply; first {first}"]
