"""The chat model against a server that speaks the protocol and breaks it in every way that servers do."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from ragbench.errors import ConfigError, DataError, UserError
from ragbench.llm.base import ChatRequest, Message
from ragbench.llm.chat import ChatModel
from ragbench.llm.refusals import ContextOverflow, Refused
from ragbench.llm.structured import read_object
from tests.chat_server import Act, ChatServer, chatting, error

KEY = "sk-protocol-424242"
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"], "additionalProperties": False}
ASKED = ChatRequest(messages=(Message("system", "be brief"), Message("user", "年假 leave?")), max_tokens=50)
WORKERS = 4
WANTED = ChatRequest(messages=ASKED.messages, max_tokens=50, schema=SCHEMA)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chatting(lambda body: "十五天 fifteen days") as running:
        yield running


@pytest.fixture
def make(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ChatModel]:
    monkeypatch.setenv("TEST_KEY", KEY)

    def stage(**changed: Any) -> ChatModel:
        fields: dict[str, Any] = {
            "base_url": server.url, "model": "m", "temperature": 0, "seed": None, "extra": {}, "api_key_env": "TEST_KEY",
            "max_tries": 3, "timeout_s": 5.0,
        }  # fmt: skip
        return ChatModel(**{**fields, **changed})

    return stage


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_comes_whole_or_in_parts(server: ChatServer, make: Callable[..., ChatModel], stream: bool) -> None:
    with make(stream=stream).open() as chat:
        reply = chat.ask(ASKED)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens, reply.calls) == ("十五天 fifteen days", 50, 5, 1)
    assert bool(server.asked[0].get("stream")) == stream
    assert make(stream=True).fingerprint() == make().fingerprint()


def test_429_waits_as_asked_and_holds_other_threads(server: ChatServer, make: Callable[..., ChatModel]) -> None:
    server.script = lambda n, body: error(429, "slow down", Retry_After="0.4") if n == 0 else Act()
    with make().open() as chat:
        started = time.monotonic()
        assert chat.ask(ASKED).calls == 2
        assert time.monotonic() - started >= 0.4


def test_an_empty_rate_limit_waits_for_its_reset(server: ChatServer, make: Callable[..., ChatModel]) -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "400ms"}
    server.script = lambda n, body: Act(headers=headers) if n == 0 else Act()
    with make().open() as chat:
        chat.ask(ASKED)
        started = time.monotonic()
        assert chat.ask(ASKED).calls == 1
        assert time.monotonic() - started >= 0.3


BROKEN = {
    "cut stream": (True, Act(cut=True)),
    "no [DONE]": (True, Act(done=False)),
    "cut body": (False, Act(cut=True)),
    "500": (False, error(500, "oops")),
    "slow drip": (False, Act(pause=0.2)),
    "slow stream": (True, Act(pause=0.2)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_off_is_asked_again(server: ChatServer, make: Callable[..., ChatModel], name: str) -> None:
    stream, act = BROKEN[name]
    server.script = lambda n, body: act if n == 0 else Act()
    with make(stream=stream, timeout_s=0.6 if act.pause else 5.0).open() as chat:
        reply = chat.ask(ASKED)
    assert (reply.text, reply.calls, len(server.asked)) == ("十五天 fifteen days", 2, 2)


@pytest.mark.parametrize("name", ["cut stream", "no [DONE]", "500", "slow stream"])
def test_what_always_breaks_off_is_one_line_with_its_tries(
    server: ChatServer, make: Callable[..., ChatModel], name: str
) -> None:
    stream, act = BROKEN[name]
    server.script = lambda n, body: act
    model = make(stream=stream, max_tries=2, timeout_s=0.4 if act.pause else 5.0)
    with model.open() as chat, pytest.raises(UserError, match="in 2 tries") as caught:
        chat.ask(ASKED)
    assert caught.value.calls == 2 == len(server.asked)
    assert "\n" not in str(caught.value)


REFUSED = {
    "bad key": (401, "Incorrect API key provided: sk-protocol-424242", "invalid_api_key", ConfigError, "TEST_KEY"),
    "wrong model": (404, "The model `m` does not exist", "model_not_found", ConfigError, "Check llm.model"),
    "wrong model of DeepSeek": (400, "Model Not Exist", None, ConfigError, "Check llm.model"),
    "wrong model of Ollama": (404, "model 'm' not found", None, ConfigError, "Check llm.model"),
    "no such page": (404, "Not Found", None, ConfigError, "Check llm.base_url"),
    "overflow": (400, "This model's maximum context length is 10 tokens", "context_length_exceeded", ContextOverflow, "Send less"),
    "overflow of llama.cpp": (400, "request (4030 tokens) exceeds the available context size (2048 tokens)", None, ContextOverflow, "Send less"),
    "overflow of DashScope": (400, "Range of input length should be [1, 30720]", None, ContextOverflow, "Send less"),
    "no credit": (429, "You exceeded your current quota", "insufficient_quota", ConfigError, "key with credit"),
    "balance": (402, "Insufficient Balance", None, ConfigError, "key with credit"),
    "another refusal": (400, "temperature must be 1", None, Refused, "temperature must be 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_says_what_to_do_and_is_not_repeated(
    server: ChatServer, make: Callable[..., ChatModel], caplog: pytest.LogCaptureFixture, name: str
) -> None:
    status, message, code, kind, told = REFUSED[name]
    server.script = lambda n, body: error(status, message, code)
    with caplog.at_level(logging.DEBUG), make().open() as chat, pytest.raises(UserError, match=told) as caught:
        chat.ask(ASKED)
    assert type(caught.value) is kind
    assert (caught.value.calls, len(server.asked)) == (1, 1)
    assert KEY not in str(caught.value) + caplog.text


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (Act(content="<think>三天 [3]</think>\n十五天"), "十五天"),
        (Act(content="thoughts whose beginning is missing</think>十五天"), "十五天"),
        (Act(content="十五天<think>and then it never ends"), "十五天"),
        (Act(content="十五天", reasoning="maybe three"), "十五天"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_thoughts_are_kept_apart(
    server: ChatServer, make: Callable[..., ChatModel], act: Act, text: str, stream: bool
) -> None:
    server.script = lambda n, body: act
    with make(stream=stream).open() as chat:
        reply = chat.ask(ASKED)
    assert reply.text == text
    assert ("maybe three" in reply.raw) == bool(act.reasoning)


def test_nothing_but_thoughts_is_no_reply(server: ChatServer, make: Callable[..., ChatModel]) -> None:
    server.script = lambda n, body: Act(content="", reasoning="hm")
    with make().open() as chat, pytest.raises(DataError, match="a reply with text") as caught:
        chat.ask(ASKED)
    assert caught.value.calls == 1


@pytest.mark.parametrize(("refused", "formats"), [
    ((), ["json_schema"]),
    (("json_schema",), ["json_schema", "json_object"]),
    (("json_schema", "json_object"), ["json_schema", "json_object", None]),
])  # fmt: skip
def test_structured_output_falls_back_and_is_remembered(
    server: ChatServer, make: Callable[..., ChatModel], refused: tuple[str, ...], formats: list[str | None]
) -> None:
    def form(body: dict[str, Any]) -> str | None:
        found = body.get("response_format")
        return found["type"] if found else None

    server.say = lambda body: '```json\n{"q": "年假几天"}\n```'
    server.script = lambda n, body: error(400, "response_format is not supported") if form(body) in refused else Act()
    with make().open() as chat:
        reply = chat.ask(WANTED)
        assert read_object(reply, SCHEMA) == {"q": "年假几天"}
        assert reply.calls == len(formats)
        assert chat.ask(WANTED).calls == 1
    assert [form(body) for body in server.asked] == [*formats, formats[-1]]
    wished = "JSON schema" in server.asked[-1]["messages"][0]["content"]
    assert wished == (formats[-1] != "json_schema")
    if not refused:
        assert server.asked[0]["response_format"]["json_schema"] == {"name": "reply", "strict": True, "schema": SCHEMA}


@pytest.mark.parametrize(("refused", "limit"), [
    (("json_schema",), ""), (("json_schema", "json_object"), ""), ((), "max_tokens"),
    (("json_schema",), "max_tokens"), (("json_schema", "json_object"), "max_tokens"),
])  # fmt: skip
def test_threads_that_are_refused_at_a_time_learn_it_together(
    server: ChatServer, make: Callable[..., ChatModel], refused: tuple[str, ...], limit: str
) -> None:
    """Answers come late enough that all threads ask before any of them has learnt."""
    together = threading.Barrier(WORKERS)

    def script(n: int, body: dict[str, Any]) -> Act:
        if n < WORKERS:
            together.wait(10)
        time.sleep(0.02 * (n % 3))
        if limit in body:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        form = (body.get("response_format") or {}).get("type")
        return error(400, "response_format is not supported") if form in refused else Act(content='{"q": "x"}')

    server.script = script
    with make().open() as chat, ThreadPoolExecutor(WORKERS) as pool:
        replies = list(pool.map(lambda n: chat.ask(WANTED), range(6 * WORKERS)))
        steps = len(refused) + bool(limit)
        assert all(read_object(one, SCHEMA) == {"q": "x"} for one in replies)
        assert max(one.calls for one in replies) == 1 + steps
        assert len(server.asked) == sum(one.calls for one in replies) <= len(replies) + WORKERS * steps
        assert chat.ask(WANTED).calls == 1


def test_what_was_learnt_outlives_a_refusal_of_something_else(
    server: ChatServer, make: Callable[..., ChatModel]
) -> None:
    def script(n: int, body: dict[str, Any]) -> Act:
        if "max_tokens" in body:
            return error(400, "Use 'max_completion_tokens' instead.")
        if n in (4, 5):
            return error(400, "temperature must be 1")
        form = (body.get("response_format") or {}).get("type")
        return error(400, "no schema") if form == "json_schema" else Act(content='{"q": "x"}')

    server.script = script
    with make().open() as chat:
        assert [chat.ask(WANTED).calls for _ in range(2)] == [3, 1]
        with pytest.raises(Refused, match="temperature"):
            chat.ask(WANTED)
        assert chat.ask(WANTED).calls == 1
    assert server.asked[-1]["response_format"]["type"] == "json_object"


def test_a_refusal_of_something_else_keeps_the_format(server: ChatServer, make: Callable[..., ChatModel]) -> None:
    server.script = lambda n, body: error(400, "temperature must be 1") if n < 3 else Act(content='{"q": "x"}')
    with make().open() as chat:
        with pytest.raises(Refused, match="temperature") as caught:
            chat.ask(WANTED)
        assert caught.value.calls == 3
        chat.ask(WANTED)
    assert server.asked[-1]["response_format"]["type"] == "json_schema"


def test_an_overflow_does_not_cost_the_format(server: ChatServer, make: Callable[..., ChatModel]) -> None:
    server.script = lambda n, body: error(400, "maximum context length is 9 tokens") if n == 0 else Act()
    with make().open() as chat:
        with pytest.raises(ContextOverflow):
            chat.ask(WANTED)
        chat.ask(WANTED)
    assert [body["response_format"]["type"] for body in server.asked] == ["json_schema", "json_schema"]


def test_log_probabilities_that_are_refused_are_done_without_and_it_is_remembered(
    server: ChatServer, make: Callable[..., ChatModel]
) -> None:
    server.script = lambda n, body: error(400, "no logprobs") if "logprobs" in body else Act()
    wanted = replace(ASKED, logprobs=True)
    with make().open() as chat:
        assert [chat.ask(wanted).calls for _ in range(2)] == [2, 1]
        assert chat.ask(wanted).first is None
    assert ["logprobs" in body for body in server.asked] == [True, False, False, False]


def test_a_refusal_of_something_else_keeps_log_probabilities(
    server: ChatServer, make: Callable[..., ChatModel]
) -> None:
    server.script = lambda n, body: error(400, "temperature must be 1") if n < 2 else Act()
    with make().open() as chat:
        with pytest.raises(Refused, match="temperature") as caught:
            chat.ask(replace(ASKED, logprobs=True))
        assert caught.value.calls == 2
        chat.ask(replace(ASKED, logprobs=True))
    assert "logprobs" in server.asked[-1]


def test_the_limit_of_tokens_has_two_names(server: ChatServer, make: Callable[..., ChatModel]) -> None:
    told = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    server.script = lambda n, body: error(400, told) if "max_tokens" in body else Act()
    with make().open() as chat:
        assert chat.ask(ASKED).calls == 2
        assert chat.ask(ASKED).calls == 1
    assert server.asked[-1]["max_completion_tokens"] == 50


def test_a_key_that_a_server_repeats_is_in_no_reply(server: ChatServer, make: Callable[..., ChatModel]) -> None:
    server.script = lambda n, body: Act(content=f"your key is {KEY}")
    with make().open() as chat:
        reply = chat.ask(ASKED)
    assert reply.text == reply.raw == "your key is ***"


@pytest.mark.parametrize("address", ["https://me:secret@api.example.com/v1", "https://api.example.com/v1?key=secret"])
def test_an_address_with_a_secret_is_refused(make: Callable[..., ChatModel], address: str) -> None:
    with pytest.raises(ConfigError, match="without user name, password or query") as caught:
        make(base_url=address)
    assert "secret" not in str(caught.value)
