"""A reranker that harms: a stage from outside, chosen by a file of its own and allowed by its package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ragbench.core.fingerprint import text_hash
from ragbench.core.workers import Tools
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked, Ranking
from ragbench.reranker.base import Reranker

CONFIG = "# @package pipeline.reranker\n# The order of hashes.\n_target_: tests.e2e.shuffled.ShuffledReranker\n"


@dataclass(frozen=True, kw_only=True)
class ShuffledReranker(Reranker):
    """Puts the candidates into the order of hashes."""

    @contextmanager
    def open(self, tools: Tools) -> Iterator[ShuffledWorker]:
        yield ShuffledWorker()


class ShuffledWorker:
    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        order = sorted(ranking, key=lambda hit: text_hash(f"{question} {chunks[hit.chunk].chunk_id}"))
        return tuple(Ranked(hit.chunk, -float(rank), rank, hit.rank) for rank, hit in enumerate(order, start=1))

    def counts(self) -> dict[str, int]:
        return {}
