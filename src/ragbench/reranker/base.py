"""What a reranker is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.errors import RagbenchError
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking


class RerankFailed(RagbenchError):
    """A question could not be reranked and is to keep the order it has; the message says why. Never stored."""


class OpenReranker(Protocol):
    """An open reranker."""

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder `ranking` (already cut to recall_k); `chunks` is the whole chunk set by number. Each result keeps
        `former`, its rank in `ranking`; ranks count from 1; ties by former rank. What it drops is left out.

        Raises RerankFailed where the question keeps the order it has.
        """
        ...

    def counts(self) -> dict[str, int]:
        """What reranking cost since it was opened: `pairs` read, how many were `truncated` to a limit, `calls`,
        `prompt_tokens`, `completion_tokens`, chunks `dropped` …; only what applies, always the same names."""
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

    @property
    def calibrated(self) -> bool:
        """Whether its scores are probabilities that a chunk is relevant, on one scale for all questions."""
        return False

    def llm_calls(self, recall_k: int) -> int:
        """Requests to a chat model that a question with `recall_k` candidates takes when all goes well."""
        return 0

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenReranker]:
        """Load what the stage needs."""
