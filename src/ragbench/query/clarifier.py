"""Asking back what an ambiguous question means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.llm.base import Asker, ChatRequest, Llm
from ragbench.query import flow_prompts
from ragbench.query.asking import ask, opened
from ragbench.query.replies import QUESTION, read_query
from ragbench.query.spent import Spent
from ragbench.records.question import Turn
from ragbench.text.language import answers_in_chinese

_MAX_TOKENS = 120
_SHOWN = 60
_POINTER = re.compile(
    r"(?:那|这)(?:个|些|种|位|边|玩意|东西|事|款|项|份)?|它们?|他们?|她们?|啥情况|"
    r"\b(?:it|that|this|those|these|they|them|the (?:thing|one|other))\b",
    re.IGNORECASE,
)
_POINTS = {
    True: "您说的“{word}”具体指什么？请补充名称、地点、时间或版本。",
    False: "What exactly do you mean by “{word}”? Please give its name, place, date or version.",
}
_ABOUT = {
    True: "关于“{words}”，您具体想了解哪一项？请补充名称、地点、时间或版本。",
    False: "What exactly would you like to know about “{words}”? Please give a name, place, date or version.",
}
_NOTHING = {
    True: "您想问的是什么？请补充具体的对象和内容。",
    False: "What would you like to know? Please name what your question is about.",
}


def template(text: str) -> str:
    """The question back that needs no model, in the language of the question: it names the word that points at nothing,
    else the question's own words."""
    chinese = answers_in_chinese(text)
    pointer = _POINTER.search(text)
    if pointer:
        return _POINTS[chinese].format(word=pointer[0].strip())
    words = " ".join(text.split()).rstrip("?？。.! ！")
    if not any(char.isalnum() for char in words):
        return _NOTHING[chinese]
    return _ABOUT[chinese].format(words=words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…")


class OpenClarifier:
    """An open clarifier; threads may share it."""

    def __init__(self, asker: Asker | None) -> None:
        self._asker = asker

    def clarify(self, text: str, history: tuple[Turn, ...]) -> tuple[str, Spent]:
        """The question back, and what it cost."""
        spent = Spent()
        if self._asker is not None:
            messages = flow_prompts.clarify(text, history)
            request = ChatRequest(
                messages=messages, max_tokens=_MAX_TOKENS, schema=QUESTION, prompt=flow_prompts.CLARIFY
            )
            found, spent = ask(self._asker, request, lambda reply: read_query(reply, text))
            if found:
                return found, spent
        return template(text), spent


@dataclass(frozen=True, kw_only=True)
class Clarifier(Stage):
    """Writes the question back to the user. `llm` None: by `template`, which is also what a model that fails falls back
    on, counted."""

    VERSION: ClassVar[int] = 1

    llm: Llm | None

    def identity(self) -> dict[str, Any]:
        """Versions of the prompts, where a model is asked."""
        return dict(flow_prompts.IDENTITY) if self.llm is not None else {}

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenClarifier]:
        """Open the model. Raises ConfigError where the tools offer none."""
        yield OpenClarifier(None if self.llm is None else opened(self.llm, tools))
