"""A model without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ragbench.llm.base import ChatRequest, Llm, Message, Reply


@dataclass(frozen=True, kw_only=True)
class FakeModel(Llm):
    """`say` makes the reply; `asked` are the requests that reached it."""

    model: str = "fake"
    say: Callable[[ChatRequest], Reply] = field(
        default=lambda request: reply(request.messages[-1].content), compare=False
    )
    asked: list[ChatRequest] = field(default_factory=list, compare=False)
    opened: list[str] = field(default_factory=list, compare=False)

    @contextmanager
    def open(self) -> Iterator[Any]:
        self.opened.append(self.model)
        yield self

    def ask(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        return self.say(request)


def reply(text: str, **changed: Any) -> Reply:
    return Reply(
        **{"text": text, "raw": text, "prompt_tokens": 10, "completion_tokens": 2, "calls": 1, "ms": 7.5, **changed}
    )


def request(text: str = "年假几天？", **changed: Any) -> ChatRequest:
    return ChatRequest(**{"messages": (Message("user", text),), "max_tokens": 9, **changed})
