"""What a rewriter is: it makes the last turn of a conversation a question that stands alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.query.spent import NOTHING, Spent
from ragbench.records.question import Question, Turn


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The question as understood, and what that cost. A rewriter that cannot do better gives the text as typed."""

    text: str
    spent: Spent = NOTHING


class OpenRewriter(Protocol):
    """An open rewriter; may be used by several threads."""

    def rewrite(self, text: str, history: Sequence[Turn]) -> Rewritten:
        """The question that `text` means after the turns of `history`, oldest first."""
        ...


@dataclass(frozen=True, kw_only=True)
class Rewriter(Stage):
    """Makes the text that a query stage then works on."""

    def llm_calls(self, question: Question | None = None) -> int:
        """How many times a model is asked for a question (None: the most for any), when no reply is stored."""
        return 0

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenRewriter]:
        """Open what the rewriter needs."""
