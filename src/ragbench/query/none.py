"""The question as it was typed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ragbench.core.workers import Tools
from ragbench.query.base import OpenQuery, Query
from ragbench.query.rules import RuleClassifier
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView


@dataclass(frozen=True, kw_only=True)
class NoneQuery(Query):
    """Searches the question as typed, once, on every route. A follow-up is searched as typed too: its history fills
    no pronoun, which is what a rewriting stage is measured against.

    `classifier` says what the question is taken for; None: nothing is said. The filter goes through, the principal
    becomes the tenant.
    """

    classifier: RuleClassifier | None

    @property
    def classifies(self) -> bool:
        """Only with a classifier."""
        return self.classifier is not None

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenQuery]:
        """Needs nothing."""
        yield _AsTyped(self.classifier)


class _AsTyped:
    def __init__(self, classifier: RuleClassifier | None) -> None:
        self._classifier = classifier

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        request = SearchRequest(question.question, filter=question.filter, tenant=question.principal)
        if self._classifier is None:
            return QueryView(), (request,)
        return self._classifier.classify(question.question, bool(question.history)), (request,)
