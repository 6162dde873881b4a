"""What every transform does alike: classify, rewrite, search the question and further forms of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ragbench.core.workers import Passages, Tools
from ragbench.llm.base import Asker, Llm
from ragbench.query.asking import opened
from ragbench.query.base import OpenQuery
from ragbench.query.classifier import Understanding, understanding
from ragbench.query.classifying import ClassifyingQuery
from ragbench.query.rewriter import OpenRewriter, Rewriter, Rewritten
from ragbench.query.spent import NOTHING, Spent
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView
from ragbench.text.normal import comparison_form

TYPED, REWRITE = "typed", "rewrite"
"""Forms of the first request: the question as it was typed, or as the rewriter understood it."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a transform may use: the open model (None: its rules), and the variant's own search."""

    asker: Asker | None = None
    search: Passages | None = None


@dataclass(frozen=True, slots=True)
class Forms:
    """What is searched for one question, and what finding that out cost."""

    requests: tuple[SearchRequest, ...]
    spent: Spent = NOTHING


@dataclass(frozen=True, kw_only=True)
class TransformQuery(ClassifyingQuery):
    """Makes several forms of a question. A form that repeats one already searched is left out.

    Args:
        classifier: says what the question is taken for; None: nothing is said.
        rewriter: makes the text that is then worked on, and that reranker and generator read; None: as typed.
        llm: the model that makes the forms; None: rules do.
    """

    PROMPTS: ClassVar[Mapping[str, int]] = {}

    rewriter: Rewriter | None
    llm: Llm | None

    def identity(self) -> dict[str, Any]:
        """The versions of the prompts, where a model reads them."""
        return dict(self.PROMPTS) if self.llm is not None else {}

    def llm_calls(self, question: Question | None = None) -> int:
        """See `Query.llm_calls`."""
        rewriting = self.rewriter.llm_calls(question) if self.rewriter is not None else 0
        classifying = super().llm_calls(question)
        return classifying + rewriting + (self.own_calls if self.llm is not None else 0)

    @property
    def own_calls(self) -> int:
        """How many times the model is asked for the forms of one question."""
        return 1

    @abstractmethod
    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """What to search for the question of `asked`, which has at least one letter or digit."""

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenQuery]:
        """Open classifier, rewriter and model, where there are such."""
        with ExitStack() as stack:
            rewriter = stack.enter_context(self.rewriter.open(tools)) if self.rewriter is not None else None
            asker = opened(self.llm, tools) if self.llm is not None else None
            classifier = stack.enter_context(understanding(self.classifier, tools))
            yield _Transforming(self, classifier, rewriter, Means(asker, tools.search))


class _Transforming:
    def __init__(
        self, stage: TransformQuery, classifier: Understanding, rewriter: OpenRewriter | None, means: Means
    ) -> None:
        self._stage, self._classifier, self._rewriter, self._means = stage, classifier, rewriter, means

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """See `OpenQuery.plan`; the question as typed or rewritten is the first request."""
        understood = Rewritten(question.question)
        if self._rewriter is not None:
            understood = self._rewriter.rewrite(question.question, question.history)
        changed = understood.text != question.question
        asked = replace(SearchRequest.of(question, understood.text), form=REWRITE if changed else TYPED)
        made = Forms((asked,))
        if any(char.isalnum() for char in asked.text):
            made = self._stage.forms(asked, self._means)
        view, classifying = self._classifier.of(question)
        spent = classifying + understood.spent + made.spent
        view = replace(
            view,
            text=understood.text if changed else None,
            usage=spent.usage,
            fallback=spent.why,
        )
        requests = distinct(made.requests)
        return view, requests if len(requests) > 1 else (asked,)


def distinct(requests: Iterable[SearchRequest]) -> tuple[SearchRequest, ...]:
    """The requests without those whose text was searched before in the same role on the same routes, or on all."""
    kept: list[SearchRequest] = []
    seen: set[tuple[str, str, tuple[str, ...]]] = set()
    for request in requests:
        text = comparison_form(request.text).rstrip("?.! ")
        if not {(text, request.role, request.routes), (text, request.role, ())} & seen:
            seen.add((text, request.role, request.routes))
            kept.append(request)
    return tuple(kept)
