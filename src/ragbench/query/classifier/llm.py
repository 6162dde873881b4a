"""The third tier of query classification: a language model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.llm.base import Asker, ChatRequest, Llm
from ragbench.query.asking import ask, opened
from ragbench.query.classifier import prompts
from ragbench.query.classifier.base import ABSTAINED, Classifier, Understood
from ragbench.query.classifier.replies import read_labels
from ragbench.records.question import COMPLEXITIES, Question, Turn

ROLE = "classifier"
_LEAST_TOKENS = 16


@dataclass(frozen=True, kw_only=True)
class LlmClassifier(Classifier):
    """Asks a model for the class, in the language of the question, earlier turns shown; one call a question.

    A reply of `uncertain` is an abstention. So is a failed call or a reply without a label, which are counted as
    fallbacks. The model gives no confidence.

    Args:
        llm: the model.
        categories: names of categories to choose one of; empty: no category is asked for.
        max_tokens: longest reply.
    """

    VERSION: ClassVar[int] = 1
    TIER: ClassVar[str] = "llm"

    llm: Llm | None
    categories: tuple[str, ...]
    max_tokens: int

    def __post_init__(self) -> None:
        names = self.categories
        if not isinstance(names, tuple) or not all(isinstance(one, str) and one.strip() for one in names):
            raise ConfigError("classifier.categories", expected="a list of names", found=repr(names)[:60])
        if len(set(names)) < len(names) or len(names) == 1:
            raise ConfigError("classifier.categories", expected="different names, at least two", found=repr(names)[:60])
        size = self.max_tokens
        if not isinstance(size, int) or isinstance(size, bool) or size < _LEAST_TOKENS:
            raise ConfigError("classifier.max_tokens", expected=f"{_LEAST_TOKENS} or more", found=repr(size))

    def identity(self) -> dict[str, Any]:
        """The versions of the prompt."""
        return dict(prompts.IDENTITY)

    @property
    def says(self) -> frozenset[str]:
        """The class, and the category where names are given."""
        return frozenset({"complexity", "category"} if self.categories else {"complexity"})

    def check(self) -> None:
        """Raise ConfigError where there is no model."""
        if self.llm is None:
            hint = "Choose one, as in llm=ollama, or take classifier=rules or classifier=model."
            raise ConfigError("classifier=llm", expected="a language model", found="llm=none", hint=hint)

    def llm_calls(self, question: Question | None = None) -> int:
        """One."""
        return 1

    @contextmanager
    def open(self, tools: Tools) -> Iterator[LlmWorker]:
        """Open the model. Raises ConfigError where there is none."""
        self.check()
        assert self.llm is not None
        yield LlmWorker(self, opened(self.llm, tools, ROLE))


class LlmWorker:
    """An open LlmClassifier."""

    def __init__(self, stage: LlmClassifier, asker: Asker) -> None:
        self._stage, self._asker = stage, asker
        self._allowed = {"complexity": COMPLEXITIES, "category": stage.categories}
        if not stage.categories:
            del self._allowed["category"]

    def classify(self, text: str, history: tuple[Turn, ...] = ()) -> Understood:
        """See `OpenClassifier.classify`; a text without a letter or digit is an abstention, and no call."""
        categories = self._stage.categories
        without = Understood(category_tier=ABSTAINED if categories else "")
        if not any(char.isalnum() for char in text):
            return without
        request = ChatRequest(
            messages=prompts.classify(text, history, categories),
            max_tokens=self._stage.max_tokens,
            schema=prompts.schema(categories),
            prompt=prompts.NAME,
        )
        found, spent = ask(self._asker, request, lambda reply: read_labels(reply, self._allowed))
        if found is None:
            return Understood(category_tier=without.category_tier, spent=spent)
        complexity, category = found["complexity"], found.get("category")
        tier = self._stage.TIER
        return Understood(
            complexity=complexity,
            tier=tier if complexity else ABSTAINED,
            category=category,
            category_tier=(tier if category else ABSTAINED) if categories else "",
            spent=spent,
        )
