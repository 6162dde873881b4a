"""What a language model is asked, what it says, and what a model is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from ragbench.core.stage import Stage


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `role` is `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request, all that reaches the model beside its own settings.

    `schema` is a JSON schema that the reply should follow (null: free text); a server that knows none is asked without.
    `logprobs` asks for the likeliest first tokens. `sample` numbers repeated requests: it reaches no server, only the
    key under which the reply is kept. `prompt` names the prompt and its version (`rewrite/2`) for people who read
    recordings; it reaches neither server nor key.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    logprobs: bool = False
    sample: int = 0
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: `text` without `<think>` blocks, `raw` with them.

    `first` maps the likeliest first tokens to their finite log-probabilities, None where the server gave none or gave
    some that are no numbers. `calls` are requests sent, each try; tokens are what the answers to them say they used,
    and `untold` counts answers that said nothing of it. A reply taken from the store has the costs and milliseconds
    of the call that made it.
    """

    text: str
    raw: str
    first: Mapping[str, float] | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 1
    ms: float = 0.0
    untold: int = 0


class Asker(Protocol):
    """An open model; may be used by several threads."""

    def ask(self, request: ChatRequest) -> Reply:
        """One reply.

        Raises UserError (of which ConfigError, DataError and the budget's end are kinds) where there is none; a stage
        that can go on without falls back and counts it. `calls` and tokens of the error are what was spent on it.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Llm(Stage):
    """Which language model to ask, and how."""

    @abstractmethod
    def open(self) -> AbstractContextManager[Asker]:
        """Open a connection or load the model; nothing is asked."""
