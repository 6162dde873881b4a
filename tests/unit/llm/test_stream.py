"""Events put together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragbench.llm.stream import Unfinished, assembled, is_stream


def stream(*events: Any, end: str = "data: [DONE]\n\n") -> str:
    return "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n" for one in events) + end


def delta(text: str, **more: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text}, **more}]}


def test_texts_thoughts_probabilities_and_usage_are_joined() -> None:
    probable = {"content": [{"token": "十", "logprob": -0.1, "top_logprobs": []}]}
    found = assembled(
        ": comment\n\nevent: x\n"
        + stream(
            {"choices": [{"delta": {"role": "assistant", "reasoning_content": "hm"}}]},
            delta("十", logprobs=probable),
            delta("五天", finish_reason="stop"),
            {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
        )
    )
    choice = found["choices"][0]
    assert choice["message"] == {"content": "十五天", "reasoning_content": "hm"}
    assert (choice["finish_reason"], choice["logprobs"]) == ("stop", probable)
    assert found["usage"] == {"prompt_tokens": 3, "completion_tokens": 2}


@pytest.mark.parametrize("ending", ["data: [DONE]\n\n", "data: [DONE]", "data:[DONE]\r\n\r\n"])
def test_endings(ending: str) -> None:
    assert assembled(stream(delta("x"), end=ending))["choices"][0]["message"]["content"] == "x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "breaks off"),
        (stream(delta("x"), end=""), "breaks off"),
        (stream(delta("x", finish_reason="stop"), end=""), "breaks off"),
        (stream(delta("x"), end='data: {"choices": [{"delta"'), "breaks off"),
        (stream("{not json"), "no JSON"),
        (stream("[1]"), "no JSON object"),
        (stream("[" * 100_000), "no JSON"),
        (stream({"error": {"message": "overloaded"}}), "overloaded"),
    ],
)
def test_what_is_no_whole_stream(text: str, message: str) -> None:
    with pytest.raises(Unfinished, match=message):
        assembled(text)


def test_odd_events_are_passed_over() -> None:
    odd: list[Any] = [
        {"choices": None},
        {"choices": ["x"]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": 5}}]},
    ]
    assert assembled(stream(*odd, delta("x")))["choices"][0]["message"]["content"] == "x"


def test_the_kind_of_content_tells_a_stream() -> None:
    assert is_stream("text/event-stream; charset=utf-8")
    assert not is_stream("application/json")
