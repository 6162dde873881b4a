"""The key under which a reply is kept: everything that reaches the model, and the number of the sample."""

from __future__ import annotations

from typing import Any

from ragbench.core.fingerprint import fingerprint
from ragbench.llm.base import ChatRequest, Llm


def request_row(request: ChatRequest) -> dict[str, Any]:
    """A request as plain data, without the sample's number, which reaches no server."""
    return {
        "messages": [{"role": one.role, "content": one.content} for one in request.messages],
        "max_tokens": request.max_tokens,
        "schema": None if request.schema is None else dict(request.schema),
        "logprobs": request.logprobs,
    }


def request_key(recipe: Any, request: ChatRequest) -> str:
    """Hex SHA-256 of the canonical JSON of a model's recipe, a request and its sample number."""
    return fingerprint("reply", recipe, request_row(request), request.sample)


def model_name(model: Llm) -> str:
    """What a model calls itself (`gpt-4o-mini`), else the name of its class."""
    return str(getattr(model, "model", "") or type(model).__name__)


def first_words(request: ChatRequest, width: int = 60) -> str:
    """The beginning of the last message, for errors and cassettes that people read."""
    flat = " ".join(request.messages[-1].content.split()) if request.messages else ""
    return flat if len(flat) <= width else flat[: width - 1] + "…"
