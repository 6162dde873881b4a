"""A chat model against a server on this machine."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragbench.errors import ConfigError, DataError
from ragbench.llm import endpoint
from ragbench.llm.base import ChatRequest, Message
from ragbench.llm.chat import ChatModel
from tests.loopback import Loopback, serving

KEY = "sk-test-654321"
ASKED = (Message("system", "answer"), Message("user", "年假 leave \ud800?"))


def asked(max_tokens: int, logprobs: bool = False) -> ChatRequest:
    return ChatRequest(messages=ASKED, max_tokens=max_tokens, logprobs=logprobs)


def reply(text: str | None, **more: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 11, "completion_tokens": 3}
    return {"choices": [{"message": {"role": "assistant", "content": text}, **more}], "usage": usage}


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(lambda body: reply("fine")) as running:
        yield running


@pytest.fixture
def make(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ChatModel]:
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setattr(endpoint.time, "sleep", lambda _: None)

    def stage(**changed: Any) -> ChatModel:
        fields: dict[str, Any] = {
            "base_url": f"{server.url}/v1/", "model": "m", "temperature": 0, "seed": None, "extra": {},
            "api_key_env": "TEST_KEY", "max_tries": 2,
        }  # fmt: skip
        return ChatModel(**{**fields, **changed})

    return stage


def test_what_is_sent_and_what_comes_back(server: Loopback, make: Callable[..., ChatModel]) -> None:
    with make(seed=7, extra={"top_p": 1}).open() as chat:
        found = chat.ask(asked(20))
        assert (found.text, found.first) == ("fine", None)
        assert (chat.n_calls, chat.prompt_tokens, chat.completion_tokens) == (1, 11, 3)
    assert server.paths == ["/v1/chat/completions"]
    assert server.keys == [f"Bearer {KEY}"]
    assert server.asked == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "answer"}, {"role": "user", "content": "年假 leave \ufffd?"}],
            "max_tokens": 20,
            "temperature": 0,
            "seed": 7,
            "top_p": 1,
        }
    ]


def test_what_is_null_is_not_sent(server: Loopback, make: Callable[..., ChatModel]) -> None:
    with make(temperature=None, api_key_env="").open() as chat:
        chat.ask(asked(1))
    assert not {"temperature", "seed", "logprobs"} & server.asked[0].keys()
    assert server.keys == [None]


def test_thoughts_are_taken_out(server: Loopback, make: Callable[..., ChatModel]) -> None:
    server.answer = lambda body: reply("<think>[3, 1]\n是</think>\n 否 ")
    with make().open() as chat:
        found = chat.ask(asked(20))
    assert (found.text, found.raw) == ("否", "<think>[3, 1]\n是</think>\n 否 ")


def test_log_probabilities_of_the_first_token(server: Loopback, make: Callable[..., ChatModel]) -> None:
    top = [{"token": "Yes", "logprob": math.log(0.7)}, {"token": " no", "logprob": math.log(0.2)}]
    server.answer = lambda body: reply(
        "Yes", logprobs={"content": [{"token": "Yes", "logprob": -0.3, "top_logprobs": top}]}
    )
    with make().open() as chat:
        assert chat.ask(asked(1, logprobs=True)).first == {"Yes": math.log(0.7), " no": math.log(0.2)}
        assert chat.ask(asked(1)).first is None
        server.answer = lambda body: reply("Yes", logprobs=None)
        assert chat.ask(asked(1, logprobs=True)).first is None
    assert (server.asked[0]["logprobs"], server.asked[0]["top_logprobs"]) == (True, 20)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("listed", "first"),
    [
        ([("Yes", NAN), ("No", NAN)], None),
        ([("Yes", -0.1), ("No", NAN)], None),
        ([("Yes", INF)], None),
        ([("Yes", "x"), (None, None)], None),
        ([("Yes", -0.1), ("No", int("1" * 401))], None),
        ([("Yes", -INF), ("No", -0.1)], {"No": -0.1}),
        ([("Yes", -INF)], None),
    ],
)
def test_log_probabilities_that_are_none(
    server: Loopback, make: Callable[..., ChatModel], listed: list[Any], first: dict[str, float] | None
) -> None:
    top = [{"token": token, "logprob": logprob} for token, logprob in listed]
    server.answer = lambda body: reply("Yes", logprobs={"content": [{"token": "Yes", "top_logprobs": top}]})
    with make().open() as chat:
        assert chat.ask(asked(1, logprobs=True)).first == first


@pytest.mark.parametrize("logprobs", [[], {}, {"content": 1}, {"content": ["x"]}, {"content": [{"top_logprobs": 5}]}])
def test_log_probabilities_of_another_shape_are_none(
    server: Loopback, make: Callable[..., ChatModel], logprobs: Any
) -> None:
    server.answer = lambda body: reply("Yes", logprobs=logprobs)
    with make().open() as chat:
        assert chat.ask(asked(1, logprobs=True)).first is None


def test_usage_that_is_no_count_is_not_counted(server: Loopback, make: Callable[..., ChatModel]) -> None:
    server.answer = lambda body: reply("x") | {"usage": {"prompt_tokens": NAN, "completion_tokens": 2}}
    with make().open() as chat:
        assert chat.ask(asked(5)).text == "x"
        assert (chat.prompt_tokens, chat.completion_tokens) == (0, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"choices": [{"message": {"content": ["a"]}}]}, "a reply with text"),
        ({"choices": []}, "`choices` with a message"),
        ({"error": KEY}, "`choices` with a message"),
        ([1], "`choices` with a message"),
        (reply(None), "a reply with text"),
        (reply("<think>no end"), "a reply with text"),
        (b"not json", "expected JSON"),
    ],
)
def test_wrong_answers_are_named_without_the_key(
    server: Loopback,
    make: Callable[..., ChatModel],
    caplog: pytest.LogCaptureFixture,
    content: Any,
    message: str,
) -> None:
    server.answer = lambda body: content
    with caplog.at_level(logging.DEBUG), make().open() as chat, pytest.raises(DataError, match=message) as caught:
        chat.ask(asked(5))
    assert KEY not in str(caught.value) + caplog.text


def test_usage_is_optional(server: Loopback, make: Callable[..., ChatModel]) -> None:
    server.answer = lambda body: {"choices": reply("x")["choices"], "usage": None}
    with make().open() as chat:
        chat.ask(asked(5))
        assert (chat.prompt_tokens, chat.completion_tokens) == (0, 0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"base_url": "api.example.com"}, "llm.base_url"),
        ({"timeout_s": 0}, "llm.timeout_s"),
        ({"max_tries": 0}, "llm.max_tries"),
        ({"extra": {"temperature": 1}}, "llm.extra.*temperature"),
    ],
)
def test_bad_fields_are_refused(make: Callable[..., ChatModel], changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make(**changed)


def test_the_fingerprint_is_that_of_what_is_asked(make: Callable[..., ChatModel]) -> None:
    assert make(timeout_s=1, max_tries=9, api_key_env="").fingerprint() == make().fingerprint()
    prints = {make(**changed).fingerprint() for changed in ({}, {"model": "n"}, {"temperature": None}, {"seed": 1})}
    assert len(prints | {make(extra={"top_p": 1}).fingerprint()}) == 5
    assert KEY not in str(make().recipe())
