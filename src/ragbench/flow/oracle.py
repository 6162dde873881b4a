"""One layer replaced by the gold: upper references, no systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragbench.errors import ConfigError
from ragbench.flow.base import Bench, Times
from ragbench.flow.each import each
from ragbench.flow.gold import GoldChunks, ranking_of
from ragbench.flow.one_shot import OneShotFlow
from ragbench.flow.rounds import Planned, Turn, understood, used
from ragbench.records.question import Question
from ragbench.records.search import Ranking
from ragbench.records.trace import Trace, TraceStep

LAYERS = ("ranking", "retrieval", "context")


@dataclass(frozen=True, kw_only=True)
class OracleFlow(OneShotFlow):
    """One round whose result is corrected by the gold evidence; a run with it is marked as one with an oracle.

    `layer` says how far: `ranking`: of the first `recall_k` found, those that hold evidence come first, as a perfect
    reranker would have it. `retrieval`: the chunks that hold the evidence come first, found or not, and what was found
    fills up to `k`. `context`: they stand alone, without anything that distracts. An unanswerable question has no
    evidence: its ranking stays as found, and with `context` nothing is packed.
    """

    layer: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layer not in LAYERS:
            raise ConfigError("pipeline.flow.layer", expected=" or ".join(LAYERS), found=repr(self.layer))

    @property
    def reads_gold(self) -> bool:
        """Always: that is what it is for."""
        return True

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
            trace = replace(trace, steps=(*trace.steps[:-1], self._corrected(trace.steps[-1], question, gold)))
            yield from turn.conclude(trace)

        return each(questions, (bench.ahead, bench.at_once), bench.plan, stages)

    def _corrected(self, step: TraceStep, question: Question, gold: GoldChunks) -> TraceStep:
        if self.layer == "ranking":
            found = [hit.chunk for hit in step.reranked[: self.recall_k]]
            return replace(step, reranked=self._behind(_those_of(found, gold, question), step.reranked))
        ranking = ranking_of(gold.of(question)) if self.layer == "context" else ()
        if self.layer == "retrieval":
            ranking = self._behind(gold.of(question), step.reranked)
        return replace(step, fused=ranking, reranked=ranking)

    def _behind(self, numbers: Sequence[int], ranking: Ranking) -> Ranking:
        return ranking_of(numbers, ranking) if numbers else ranking


def _those_of(found: Sequence[int], gold: GoldChunks, question: Question) -> list[int]:
    """The found chunks that hold the evidence: those of the fullest choice, then any that touch it, as found."""
    chosen, touching = gold.of(question), set(gold.touching(question))
    return [*(one for one in chosen if one in set(found)), *(one for one in found if one in touching - set(chosen))]
