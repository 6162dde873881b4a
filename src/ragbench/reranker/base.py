"""What a reranker is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking


class OpenReranker(Protocol):
    """An open reranker."""

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder `ranking` (already cut to recall_k); `chunks` is the whole chunk set by number. Each result keeps
        `former`, its rank in `ranking`; ranks count from 1; ties by former rank."""
        ...


@dataclass(frozen=True, kw_only=True)
class Reranker(Stage):
    """Reorders the head of a ranking."""

    @property
    def uses_embedder(self) -> bool:
        """Whether `open` needs `tools.embedder`."""
        return False

    @property
    def uses_tokens(self) -> bool:
        """Whether it asks the embedder for vectors of single tokens, which not every embedder has."""
        return False

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenReranker]:
        """Load what the stage needs."""
