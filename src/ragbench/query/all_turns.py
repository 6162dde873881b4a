"""All that the user said in a conversation, as one search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.base import OpenQuery
from ragbench.query.classifier import Understanding, understanding
from ragbench.query.classifying import ClassifyingQuery
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView

ORDERS = ("newest_first", "oldest_first")
FORM = "turns"


@dataclass(frozen=True, kw_only=True)
class AllTurnsQuery(ClassifyingQuery):
    """Searches the user's turns of a conversation, joined by line ends, in place of the last one; what the assistant
    said is left out, and a turn that says the same as another is there once. A question without earlier turns of the
    user is searched as typed. Reranker and generator read the question as typed.

    Args:
        classifier: says what the last turn is taken for; None: nothing is said.
        order: `newest_first` begins with the question, `oldest_first` with the first turn. A keyword route sees no
            order.
    """

    order: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order not in ORDERS:
            raise ConfigError("pipeline.query.order", expected=" or ".join(ORDERS), found=repr(self.order))

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenQuery]:
        """Open the classifier."""
        with understanding(self.classifier, tools) as classifier:
            yield _AllTurns(self, classifier)


class _AllTurns:
    def __init__(self, stage: AllTurnsQuery, classifier: Understanding) -> None:
        self._stage, self._classifier = stage, classifier

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """See `OpenQuery.plan`."""
        stage, request = self._stage, SearchRequest.of(question)
        text = joined(question, stage.order)
        if text != question.question:
            request = replace(request, text=text, form=FORM)
        return self._classifier.of(question)[0], (request,)


def joined(question: Question, order: str) -> str:
    """The user's turns, each once, a line end between; the question as typed where there is no other."""
    said = [turn.content.strip() for turn in question.history if turn.role == "user"]
    newest_first = [one for one in dict.fromkeys([question.question.strip(), *reversed(said)]) if one]
    if len(newest_first) < 2:
        return question.question
    return "\n".join(newest_first if order == ORDERS[0] else reversed(newest_first))
