"""A round whose result is changed by the gold evidence: what oracles and probes share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragbench.flow.base import Bench, Times
from ragbench.flow.each import each
from ragbench.flow.gold import GoldChunks
from ragbench.flow.one_shot import OneShotFlow
from ragbench.flow.rounds import Planned, Turn, understood, used
from ragbench.records.question import Question
from ragbench.records.trace import Trace, TraceStep


@dataclass(frozen=True, kw_only=True)
class GoldFlow(OneShotFlow):
    """One round, its last step `corrected` before it is packed; a run with it is marked as one with an oracle."""

    @property
    def reads_gold(self) -> bool:
        """Always: that is what it is for."""
        return True

    @property
    def keeps_scores(self) -> bool:
        """What the gold put in place has no score."""
        return False

    @abstractmethod
    def corrected(self, step: TraceStep, question: Question, gold: GoldChunks, bench: Bench) -> TraceStep:
        """The step with the ranking that is packed."""

    def run(self, questions: Sequence[Question], bench: Bench) -> Iterator[Trace]:
        """One trace a question; see `ragbench.flow.each.each`."""
        gold = GoldChunks(bench.chunks)

        def stages(question: Question, planned: Planned, times: Times) -> Iterator[Trace]:
            view, requests = planned
            turn = Turn(question, self.cuts, bench, times)
            trace = Trace(question.id, view, timings_ms=times, usage=used(view, 1))
            yield trace
            for step in turn.round(requests, understood(question, view).question):
                trace = replace(trace, steps=(step,))
                yield trace
            yield from turn.conclude(replace(trace, steps=(self.corrected(trace.steps[-1], question, gold, bench),)))

        return each(questions, (bench.ahead, bench.at_once), bench.plan, stages)
