"""The key under which a reply is kept: what the model is asked, and the number of the sample.

How a request is carried is left out, since servers settle it and it changes nothing that is asked: a recording made
with one server's ways replays with another's. That is the way of asking for JSON (`json_schema`, `json_object` or in
words), the name of the limit of tokens (`max_tokens` or `max_completion_tokens`), whether log-probabilities are left
out where a server refuses them, how many are asked for, and whether the answer comes as a stream. The words of the wish
for JSON count by their version.
"""

from __future__ import annotations

from typing import Any

from ragbench.core.fingerprint import fingerprint
from ragbench.llm.base import ChatRequest, Llm
from ragbench.llm.offers import WISH_VERSION


def request_row(request: ChatRequest) -> dict[str, Any]:
    """A request as plain data, without the sample's number, which reaches no server."""
    return {
        "messages": [{"role": one.role, "content": one.content} for one in request.messages],
        "max_tokens": request.max_tokens,
        "schema": None if request.schema is None else dict(request.schema),
        "logprobs": request.logprobs,
    }


def request_key(recipe: Any, request: ChatRequest, wish: int = WISH_VERSION) -> str:
    """Hex SHA-256 of the canonical JSON of a model's recipe, a request and its sample number; with a schema also of the
    version of the wish for JSON, since any server may turn out to need it. Version 1 leaves no mark, so that replies
    kept before there was a second one keep their keys."""
    wished = [] if request.schema is None or wish == 1 else [["wish", wish]]
    return fingerprint("reply", recipe, request_row(request), request.sample, *wished)


def model_name(model: Llm) -> str:
    """What a model calls itself (`gpt-4o-mini`), else the name of its class."""
    return str(getattr(model, "model", "") or type(model).__name__)


def first_words(request: ChatRequest, width: int = 60) -> str:
    """The beginning of the last message, for errors and cassettes that people read."""
    flat = " ".join(request.messages[-1].content.split()) if request.messages else ""
    return flat if len(flat) <= width else flat[: width - 1] + "…"
