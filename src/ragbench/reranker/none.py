"""No reranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ragbench.core.workers import Tools
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker.base import Reranker


@dataclass(frozen=True, kw_only=True)
class NoneReranker(Reranker):
    """Keeps the fused ranking; `former` stays None, which says that no reranker ran."""

    @contextmanager
    def open(self, tools: Tools) -> Iterator[NoneWorker]:
        """Loads nothing."""
        yield NoneWorker()


class NoneWorker:
    """An open NoneReranker."""

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """The ranking as given."""
        return ranking

    def counts(self) -> dict[str, int]:
        """Nothing."""
        return {}
