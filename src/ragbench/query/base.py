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
        """What the question is taken for and what is to be searched. Only `id`, `question`, `history`, `filter` and
        `principal` are given; everything else of the row is gold, which only a stage with `reads_gold` sees. Every
        request is made in the name of the principal (`SearchRequest.of`); the pipeline refuses others."""
        ...


class WithoutGold:
    """An open query stage that is shown nothing of a row that a user would not have typed."""

    def __init__(self, query: OpenQuery) -> None:
        self._query = query

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """See `OpenQuery.plan`."""
        return self._query.plan(asked(question))


def asked(question: Question) -> Question:
    """What is asked, in which conversation and by whom, without the rest of the row."""
    return Question(
        question.id,
        question.question,
        history=question.history,
        filter=question.filter,
        principal=question.principal,
    )


@dataclass(frozen=True, kw_only=True)
class Query(Stage):
    """Turns a question into search requests."""

    @property
    def classifies(self) -> bool:
        """Whether the stage says what a question is taken for; measures of that do not apply to a variant without."""
        return True

    @property
    def transforms(self) -> bool:
        """Whether anything but the question as typed may be searched; what that gained is told of a run."""
        return True

    @property
    def reads_gold(self) -> bool:
        """Whether the stage is an oracle, which sees the gold of a row; a run with one says so."""
        return False

    @property
    def only_routes(self) -> tuple[str, ...]:
        """Routes of which a retriever must have one to be changed by it; empty: any will do."""
        return ()

    @property
    def searches(self) -> bool:
        """Whether a plan reads what the variant finds for a question (`tools.search`): it then depends on the index."""
        return False

    def llm_calls(self, question: Question | None = None) -> int:
        """How many times a language model is asked to plan a question (None: the most for any), no reply stored."""
        return 0

    @property
    def uses_embedder(self) -> bool:
        """Whether `open` needs `tools.embedder`."""
        return False

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenQuery]:
        """Load what the stage needs."""
