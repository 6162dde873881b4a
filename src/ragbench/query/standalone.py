"""The gold form of a follow-up that stands alone: an upper reference, no system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ragbench.core.workers import Tools
from ragbench.query.base import OpenQuery
from ragbench.query.classifier import Understanding, understanding
from ragbench.query.classifying import ClassifyingQuery
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView

FORM = "standalone"


@dataclass(frozen=True, kw_only=True)
class StandaloneQuery(ClassifyingQuery):
    """An oracle: searches `standalone` of the row, what a person wrote for the follow-up so that it needs no earlier
    turn, and lets reranker and generator read it. A row without one is searched as typed. It says how much a rewrite
    could gain; a run with it is marked as one with an oracle.

    `classifier` says what the standalone form is taken for; None: nothing is said.
    """

    @property
    def reads_gold(self) -> bool:
        """Always: that is what it is for."""
        return True

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenQuery]:
        """Open the classifier."""
        with understanding(self.classifier, tools) as classifier:
            yield _Standalone(classifier)


class _Standalone:
    def __init__(self, classifier: Understanding) -> None:
        self._classifier = classifier

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """See `OpenQuery.plan`."""
        typed = SearchRequest.of(question)
        text = (question.standalone or "").strip() or question.question
        changed = text != question.question
        asked = replace(question, question=text, history=()) if changed else question
        view = self._classifier.of(asked)[0]
        if not changed:
            return view, (typed,)
        return replace(view, text=text), (replace(typed, text=text, form=FORM),)
