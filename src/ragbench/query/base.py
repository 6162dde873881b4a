"""What query understanding is."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView


class OpenQuery(Protocol):
    """An open query stage."""

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """What the question is taken for and what is to be searched. Only `question`, `history`, `filter` and
        `principal` may be read; everything else of the row is gold."""
        ...


@dataclass(frozen=True, kw_only=True)
class Query(Stage):
    """Turns a question into search requests."""

    @property
    def classifies(self) -> bool:
        """Whether the stage says what a question is taken for; measures of that do not apply to a variant without."""
        return True

    @property
    def uses_embedder(self) -> bool:
        """Whether `open` needs `tools.embedder`."""
        return False

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenQuery]:
        """Load what the stage needs."""
