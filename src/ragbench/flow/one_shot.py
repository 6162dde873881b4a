"""Retrieve once, rerank, pack, answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragbench.flow.base import Bench, Cuts, Flow, Times
from ragbench.flow.each import each
from ragbench.flow.rounds import Planned, Turn, check_cuts, understood, used
from ragbench.records.question import Question
from ragbench.records.trace import QueryView, Trace


@dataclass(frozen=True, kw_only=True)
class OneShotFlow(Flow):
    """One round of retrieval: route lists of `pool_depth`, the head of `recall_k` reranked, the first `k` packed."""

    k: int
    recall_k: int
    pool_depth: int

    def __post_init__(self) -> None:
        check_cuts(self.cuts)

    @property
    def cuts(self) -> Cuts:
        """The three cut-offs."""
        return Cuts(self.pool_depth, self.recall_k, self.k)

    @property
    def keeps_scores(self) -> bool:
        """It packs the reranked list."""
        return True

    def k_for(self, view: QueryView) -> int | None:
        """Chunks packed for a question that is taken for this; None: `k`, as for every question."""
        return None

    def run(self, questions: Sequence[Question], bench: Bench) -> Iterator[Trace]:
        """One trace a question; see `ragbench.flow.each.each`."""

        every = self.cuts

        def stages(question: Question, planned: Planned, times: Times) -> Iterator[Trace]:
            k = self.k_for(planned[0])
            return one_round(Turn(question, replace(every, k=k) if k else every, bench, times), planned, k)

        return each(questions, (bench.ahead, bench.at_once), bench.plan, stages)


def one_round(turn: Turn, planned: Planned, k: int | None = None) -> Iterator[Trace]:
    """The trace of one round as far as it has come; `k` is noted in it where it is this question's own."""
    view, requests = planned
    trace = Trace(turn.question.id, view, timings_ms=turn.times, usage=used(view, 1), k=k)
    yield trace
    for step in turn.round(requests, understood(turn.question, view).question):
        trace = replace(trace, steps=(step,))
        yield trace
    yield from turn.conclude(trace)
