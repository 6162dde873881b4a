"""Whether the relevance of packed blocks is a probability, which a refusal may act on."""

from __future__ import annotations

from ragbench.flow.base import Flow
from ragbench.generator.base import Generator
from ragbench.reranker.base import Reranker


def best_relevance_threshold(generator: Generator, reranker: Reranker, flow: Flow) -> float | None:
    """The relevance of the best block under which a variant refuses, 0 where it does not; None where the relevance of
    blocks is no probability on one scale for all questions."""
    keeps = getattr(reranker, "on_failure", "raise") != "keep"
    return generator.least_relevance if reranker.calibrated and keeps and flow.keeps_scores else None
