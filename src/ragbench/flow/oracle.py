"""One layer replaced by the gold: upper references, no systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragbench.errors import ConfigError
from ragbench.flow.base import Bench
from ragbench.flow.gold import GoldChunks, ranking_of
from ragbench.flow.gold_flow import GoldFlow
from ragbench.records.question import Question
from ragbench.records.search import Ranking
from ragbench.records.trace import TraceStep

LAYERS = ("ranking", "retrieval", "context")


@dataclass(frozen=True, kw_only=True)
class OracleFlow(GoldFlow):
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

    def corrected(self, step: TraceStep, question: Question, gold: GoldChunks, bench: Bench) -> TraceStep:
        """See `GoldFlow.corrected`."""
        if self.layer == "ranking":
            found = [hit.chunk for hit in step.reranked[: self.recall_k]]
            return replace(step, reranked=self._behind(gold.among(found, question), step.reranked))
        ranking = ranking_of(gold.of(question)) if self.layer == "context" else ()
        if self.layer == "retrieval":
            ranking = self._behind(gold.of(question), step.reranked)
        return replace(step, fused=ranking, reranked=ranking)

    def _behind(self, numbers: Sequence[int], ranking: Ranking) -> Ranking:
        return ranking_of(numbers, ranking) if numbers else ranking
