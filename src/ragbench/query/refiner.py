"""The second search of a question, made of what the first one found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.llm.base import Asker, ChatRequest, Llm
from ragbench.query import flow_prompts
from ragbench.query.asking import ask, opened
from ragbench.query.replies import QUESTION, read_query
from ragbench.query.spent import Spent

_MAX_TOKENS = 160


class OpenRefiner:
    """An open refiner; threads may share it."""

    def __init__(self, asker: Asker | None, max_chars: int) -> None:
        self._asker = asker
        self._max_chars = max_chars

    def refine(self, text: str, found: str) -> tuple[str, Spent]:
        """What is searched next, and what finding that out cost; the question itself where nothing was found."""
        found = " ".join(found.split())
        if not found:
            return text, Spent()
        spent = Spent()
        if self._asker is not None:
            messages = flow_prompts.next_search(text, found)
            request = ChatRequest(messages=messages, max_tokens=_MAX_TOKENS, schema=QUESTION, prompt=flow_prompts.NEXT)
            query, spent = ask(self._asker, request, lambda reply: read_query(reply, text))
            if query:
                return query, spent
        return f"{text} {found[: self._max_chars]}", spent


@dataclass(frozen=True, kw_only=True)
class Refiner(Stage):
    """Writes the second search. `llm` None: the question and, behind it, the first `max_chars` characters of what was
    found (pseudo-relevance feedback on the best sentence), which is also what a model that fails falls back on,
    counted."""

    VERSION: ClassVar[int] = 1

    llm: Llm | None
    max_chars: int

    def __post_init__(self) -> None:
        if not isinstance(self.max_chars, int) or isinstance(self.max_chars, bool) or self.max_chars < 1:
            raise ConfigError("refiner.max_chars", expected="a whole number of at least 1", found=repr(self.max_chars))

    def identity(self) -> dict[str, Any]:
        """Versions of the prompts, where a model is asked."""
        return dict(flow_prompts.IDENTITY) if self.llm is not None else {}

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenRefiner]:
        """Open the model. Raises ConfigError where the tools offer none."""
        yield OpenRefiner(None if self.llm is None else opened(self.llm, tools), self.max_chars)
