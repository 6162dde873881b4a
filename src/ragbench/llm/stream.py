"""Server-sent events of a chat completion, put together into the answer that comes without streaming."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

DONE = "[DONE]"


class Unfinished(Exception):
    """The stream broke off, or told of an error; the message says what, `usage` what it told of it until then."""

    def __init__(self, reason: str, usage: Any = None) -> None:
        super().__init__(reason)
        self.usage = usage


def is_stream(content_type: str) -> bool:
    """Whether an answer is a stream of events."""
    return content_type.partition(";")[0].strip().lower() == "text/event-stream"


def assembled(text: str) -> dict[str, Any]:
    """The whole answer of a stream: texts and log-probabilities of the first choice joined, usage as last told.

    Raises Unfinished for a stream that does not end in `[DONE]`, for one that tells of an error, and for an event that
    is no JSON object.
    """
    said: dict[str, list[str]] = {"content": [], "reasoning_content": []}
    listed: list[Any] = []
    usage, finish, done = None, None, False
    for data in _events(text):
        if data == DONE:
            done = True
            break
        event = _object(data, usage)
        if event.get("error"):
            raise Unfinished(f"an error in the stream: {json.dumps(event['error'], ensure_ascii=False)[:120]}", usage)
        usage = event.get("usage") or usage
        choice = _first(event.get("choices"))
        finish = choice.get("finish_reason") or finish
        delta = choice.get("delta")
        for name, parts in said.items():
            part = delta.get(name) if isinstance(delta, Mapping) else None
            if isinstance(part, str):
                parts.append(part)
        logprobs = choice.get("logprobs")
        if isinstance(logprobs, Mapping) and isinstance(logprobs.get("content"), list):
            listed += logprobs["content"]
    if not done:
        raise Unfinished("a stream that breaks off", usage)
    message = {name: "".join(parts) for name, parts in said.items() if parts}
    message.setdefault("content", "")
    logprobs = {"content": listed} if listed else None
    return {"choices": [{"message": message, "finish_reason": finish, "logprobs": logprobs}], "usage": usage}


def content_of(data: str) -> str:
    """The words that one event adds to the text; empty for what adds none, and for what is no event."""
    try:
        delta = _first(_object(data, None).get("choices")).get("delta")
    except Unfinished:
        return ""
    text = delta.get("content") if isinstance(delta, Mapping) else None
    return text if isinstance(text, str) else ""


def _events(text: str) -> Iterator[str]:
    """The data of each event; its lines joined, comments and other fields left out. An event that no blank line ends
    was cut."""
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []
    if lines == [DONE]:
        yield DONE


def _object(data: str, usage: Any) -> Mapping[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise Unfinished("an event that is no JSON", usage) from None
    if not isinstance(event, Mapping):
        raise Unfinished("an event that is no JSON object", usage)
    return event


def _first(choices: Any) -> Mapping[str, Any]:
    found = choices[0] if isinstance(choices, list) and choices else {}
    return found if isinstance(found, Mapping) else {}
