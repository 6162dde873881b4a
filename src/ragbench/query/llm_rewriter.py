"""Rewriting by a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.llm.base import Asker, ChatRequest, Llm
from ragbench.query import rewrite_prompts
from ragbench.query.asking import ask, opened
from ragbench.query.greetings import without_greeting
from ragbench.query.replies import QUESTION, read_query
from ragbench.query.rewriter import OpenRewriter, Rewriter, Rewritten
from ragbench.records.question import Question, Turn

_MAX_TOKENS = 200


@dataclass(frozen=True, kw_only=True)
class LlmRewriter(Rewriter):
    """Asks a model to make a follow-up stand alone, once a question. Without a usable reply the question stays as
    typed, and that is counted.

    Args:
        llm: the model.
        every: whether questions without earlier turns are put to it too; otherwise only their greetings are dropped,
            by rules.
    """

    VERSION: ClassVar[int] = 2

    llm: Llm | None
    every: bool

    def __post_init__(self) -> None:
        if self.llm is None:
            hint = "Choose one, as in llm=ollama, or take rewriter=rules."
            raise ConfigError("rewriter=llm", expected="a language model", found="llm=none", hint=hint)

    def identity(self) -> dict[str, Any]:
        """The versions of the prompt."""
        return dict(rewrite_prompts.IDENTITY)

    def llm_calls(self, question: Question | None = None) -> int:
        """One for a question that is put to the model."""
        return int(question is None or self.every or bool(question.history))

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenRewriter]:
        """Open the model."""
        assert self.llm is not None
        yield _ByModel(opened(self.llm, tools), self.every)


class _ByModel:
    def __init__(self, asker: Asker, every: bool) -> None:
        self._asker, self._every = asker, every

    def rewrite(self, text: str, history: Sequence[Turn]) -> Rewritten:
        """See `OpenRewriter.rewrite`."""
        if not text.strip():
            return Rewritten(text)
        if not history and not self._every:
            return Rewritten(without_greeting(text))
        request = ChatRequest(
            messages=rewrite_prompts.rewrite(text, history),
            max_tokens=_MAX_TOKENS,
            schema=QUESTION,
            prompt=rewrite_prompts.NAME,
        )
        found, spent = ask(self._asker, request, lambda reply: read_query(reply, text))
        return Rewritten(text if found is None else found, spent)
