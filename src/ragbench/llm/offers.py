"""What a server turned out to offer: ways of asking for JSON, log-probabilities, the name of the limit of tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from ragbench.llm.base import ChatRequest
from ragbench.llm.endpoint import sendable

FORMATS = ("json_schema", "json_object", "prompt")
LIMITS = ("max_tokens", "max_completion_tokens")
WISH_VERSION = 1
"""Goes up with any change of the words of the wish for JSON, or of where they stand."""

_WISH = "Reply with one JSON object and nothing else. Its JSON schema: "


@dataclass(frozen=True, slots=True)
class Form:
    """How one request is asked: a way of asking for JSON, the name of the limit of tokens, and whether
    log-probabilities that it wants are asked for."""

    format: str = FORMATS[0]
    limit: str = LIMITS[0]
    logprobs: bool = True


class Offers:
    """What a server has turned out to offer; threads may share it.

    Each request steps down from the form it was itself refused in. A lesser way of asking for JSON, and
    a request without log-probabilities, are learnt when they were accepted, since only then the refusal was about that;
    what was learnt is never taken back.
    """

    def __init__(self) -> None:
        self._form = Form()
        self._lock = Lock()

    @property
    def form(self) -> Form:
        """How to ask, given what is known."""
        return self._form

    def body(self, request: ChatRequest, form: Form | None = None) -> dict[str, Any]:
        """Messages, limit of tokens and the wish for JSON; `form` None: as is known."""
        form = form or self._form
        messages = [{"role": one.role, "content": sendable(one.content)} for one in request.messages]
        found: dict[str, Any] = {"messages": messages, form.limit: request.max_tokens}
        if request.schema is None:
            return found
        if form.format == "json_schema":
            asked = {"name": "reply", "strict": is_strict(request.schema), "schema": dict(request.schema)}
            return found | {"response_format": {"type": "json_schema", "json_schema": asked}}
        _add_wish(messages, _WISH + json.dumps(request.schema, ensure_ascii=False))
        return found | ({"response_format": {"type": "json_object"}} if form.format == "json_object" else {})

    def lesser(self, request: ChatRequest, refused: Form, refusal: str) -> Form | None:
        """What to ask for after a refusal of `refused`, at once what others have learnt since; None: nothing less."""
        if refused.limit == LIMITS[0] and LIMITS[1] in refusal:
            with self._lock:  # the refusal itself says so
                self._form = replace(self._form, limit=LIMITS[1])
            return _further(replace(refused, limit=LIMITS[1]), self._form)
        at = FORMATS.index(refused.format)
        if request.schema is not None and at < len(FORMATS) - 1:
            return _further(replace(refused, format=FORMATS[at + 1]), self._form)
        if request.logprobs and refused.logprobs:
            return _further(replace(refused, logprobs=False), self._form)
        return None

    def accepted(self, request: ChatRequest, form: Form) -> None:
        """Remember the form of a request that was answered; one that wanted neither JSON nor log-probabilities says
        nothing of them."""
        if (request.schema is not None or request.logprobs) and form != self._form:
            with self._lock:
                self._form = _further(self._form, form)


def _further(one: Form, other: Form) -> Form:
    """The lesser offer of both, part by part."""
    limit = max(one.limit, other.limit, key=LIMITS.index)
    return Form(max(one.format, other.format, key=FORMATS.index), limit, one.logprobs and other.logprobs)


def is_strict(schema: Any) -> bool:
    """Whether a schema keeps to what strict decoding demands: every object lists all its properties as required and
    allows no others."""
    if isinstance(schema, list | tuple):
        return all(map(is_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, Mapping):
        names = set(properties) if isinstance(properties, Mapping) else set()
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != names:
            return False
    return all(is_strict(part) for part in schema.values() if isinstance(part, Mapping | list | tuple))


def _add_wish(messages: list[dict[str, str]], wish: str) -> None:
    if messages and messages[0]["role"] == "system":
        messages[0] = messages[0] | {"content": f"{messages[0]['content']}\n{wish}"}
    else:
        messages.insert(0, {"role": "system", "content": wish})
