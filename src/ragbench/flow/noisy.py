"""A context of which a given share is noise, to see what noise does to the answer: a probe, no system."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragbench.core.fingerprint import text_hash
from ragbench.errors import ConfigError
from ragbench.flow.base import Bench
from ragbench.flow.gold import GoldChunks, ranking_of
from ragbench.flow.gold_flow import GoldFlow
from ragbench.records.question import Question
from ragbench.records.search import Ranking
from ragbench.records.trace import TraceStep

NOISE = "noise"
"""Metadata of a question: documents that were gathered as noise for it."""


@dataclass(frozen=True, kw_only=True)
class NoisyFlow(GoldFlow):
    """One round whose packed `k` chunks are chosen by the gold: a share `noise` in [0, 1] holds nothing of the
    evidence, the rest does. A run with it is marked as one with an oracle.

    Noise are the documents that the question's metadata names (`noise`), else the best-ranked chunks found that touch
    no evidence. Where a question has fewer chunks with evidence than its share asks for, noise fills up to `k`. The
    order is that of hashes, so that the place tells nothing. Source: Chen et al. (2024), RGB, noise robustness.
    """

    noise: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.noise, bool) or not 0 <= self.noise <= 1:
            raise ConfigError("pipeline.flow.noise", expected="a number from 0 to 1", found=repr(self.noise))

    def corrected(self, step: TraceStep, question: Question, gold: GoldChunks, bench: Bench) -> TraceStep:
        """See `GoldFlow.corrected`."""
        ranking = ranking_of(self._chosen(question, step.reranked, gold, bench))
        return replace(step, fused=ranking, reranked=ranking)

    def _chosen(self, question: Question, found: Ranking, gold: GoldChunks, bench: Bench) -> list[int]:
        n_noise = int(self.k * self.noise + 0.5)
        evidence = gold.of(question)[: self.k - n_noise]
        holding = set(gold.touching(question))
        named = question.metadata.get(NOISE) or ()
        pool = gold.in_documents(named) if named else [hit.chunk for hit in found]
        noise = [number for number in pool if number not in holding][: self.k - len(evidence)]
        return sorted(
            [*evidence, *noise], key=lambda number: text_hash(f"{question.id} {bench.chunks[number].chunk_id}")
        )
