"""What a classifier of questions is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.spent import NOTHING, Spent
from ragbench.records.question import Question, Turn
from ragbench.records.trace import QueryView
from ragbench.text.language import language_of

ABSTAINED = "abstained"
"""The tier of a label that no tier would decide."""

SIMPLE = "simple_lookup"
"""The class that costs more when it is wrong: the question is then searched too lightly."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What a classifier said of a question.

    `complexity` None: it abstained, and `tier` is `abstained`. `category_tier` is empty where no category is predicted
    at all, and `abstained` where one should be and no tier decided. `confidence` is the probability of the class, or a
    rule's share of right decisions; None where the tier gives none. `language` None: by `text.language`. `answerable`
    is the probability that the corpus answers the question; None: not predicted.
    """

    complexity: str | None = None
    tier: str = ABSTAINED
    confidence: float | None = None
    category: str | None = None
    category_tier: str = ""
    language: str | None = None
    answerable: float | None = None
    spent: Spent = NOTHING

    def view(self) -> QueryView:
        """As it stands in a trace."""
        return QueryView(
            complexity=self.complexity,
            tier=self.tier,
            confidence=self.confidence,
            category=self.category,
            category_tier=self.category_tier,
            language=self.language,
            answerable=self.answerable,
            usage=self.spent.usage,
            fallback=self.spent.why,
            classifier_calls=self.spent.calls,
        )


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """The sources of the rows that a model was fitted on (`policy_zh/v1`, or a file's name), and their split."""

    sources: tuple[str, ...] = ()
    split: str = "all"


class OpenClassifier(Protocol):
    """An open classifier; threads may share it."""

    def classify(self, text: str, history: tuple[Turn, ...] = ()) -> Understood:
        """What the question is taken for; `history` are the turns before it. Whatever the text, it never raises for
        a model that fails: the tier abstains, and that is counted."""
        ...


@dataclass(frozen=True, kw_only=True)
class Classifier(Stage):
    """Says what a question is taken for."""

    @property
    def uses_embedder(self) -> bool:
        """Whether `open` needs `tools.embedder`."""
        return False

    @property
    def says(self) -> frozenset[str]:
        """What it predicts, of `complexity`, `category` and `answerable`."""
        return frozenset({"complexity"})

    def trained_on(self) -> Mapping[str, TrainedOn]:
        """What the model of each label was fitted on; nothing for what is not trained."""
        return {}

    def check(self) -> None:
        """Raise ConfigError where it cannot work alone (a tier without its model)."""

    def llm_calls(self, question: Question | None = None) -> int:
        """The most times a language model is asked for a question."""
        return 0

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenClassifier]:
        """Load what it needs."""


def check_classifier(value: Any) -> None:
    """Raise ConfigError unless `value` is None or a classifier that can work alone."""
    if value is None:
        return
    if not isinstance(value, Classifier):
        raise ConfigError(
            "pipeline.query.classifier",
            expected="a classifier or null",
            found=repr(value)[:60],
            hint="Its settings stand at the root: classifier=rules classifier.short=30.",
        )
    value.check()


class Understanding:
    """What a query stage asks what a question is taken for; `classifier` None: it says nothing of any."""

    def __init__(self, classifier: OpenClassifier | None) -> None:
        self._classifier = classifier

    def of(self, question: Question) -> tuple[QueryView, Spent]:
        """The view of a question as typed, with its language, and what that cost."""
        if self._classifier is None:
            return QueryView(), NOTHING
        found = self._classifier.classify(question.question, question.history)
        view = found.view()
        if view.language is None:
            view = replace(view, language=language_of(question.question))
        return view, found.spent


@contextmanager
def understanding(classifier: Classifier | None, tools: Tools) -> Iterator[Understanding]:
    """Open the classifier of a query stage, if it has one."""
    if classifier is None:
        yield Understanding(None)
        return
    with classifier.open(tools) as opened:
        yield Understanding(opened)
