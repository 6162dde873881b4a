"""The question as it was typed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ragbench.core.workers import Tools
from ragbench.query.base import OpenQuery
from ragbench.query.classifier import Understanding, understanding
from ragbench.query.classifying import ClassifyingQuery
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView


@dataclass(frozen=True, kw_only=True)
class NoneQuery(ClassifyingQuery):
    """Searches the question as typed, once, on every route. A follow-up is searched as typed too: its history fills
    no pronoun, which is what a rewriting stage is measured against.

    `classifier` says what the question is taken for; None: nothing is said. The filter goes through, the principal
    becomes the tenant.
    """

    @property
    def transforms(self) -> bool:
        """Never."""
        return False

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenQuery]:
        """Open the classifier."""
        with understanding(self.classifier, tools) as classifier:
            yield _AsTyped(classifier)


class _AsTyped:
    def __init__(self, classifier: Understanding) -> None:
        self._classifier = classifier

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """See `OpenQuery.plan`."""
        return self._classifier.of(question)[0], (SearchRequest.of(question),)
