"""One POST: what is tried again, what is told, and that no key is."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from ragbench.errors import ConfigError, DataError, UserError
from ragbench.llm import endpoint, pace
from ragbench.llm.access import bearer
from ragbench.llm.endpoint import JsonEndpoint, Patience, finite, sendable, token_count
from ragbench.llm.refusals import Address, Refused
from tests.loopback import Loopback, serving

KEY = "sk-test-123456"


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(lambda body: {"echo": body}) as running:
        yield running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the endpoint waits; other threads of the process, which sleep on, are none of it."""
    waited: list[float] = []
    clock = SimpleNamespace(**vars(time) | {"sleep": waited.append})
    for module in (endpoint, pace):
        monkeypatch.setattr(module, "time", clock)
    return waited


@pytest.fixture
def client(server: Loopback) -> Iterator[Callable[..., JsonEndpoint]]:
    with httpx.Client(timeout=5.0, headers={"Authorization": f"Bearer {KEY}"}) as http:

        def make(url: str = "", tries: int = 4) -> JsonEndpoint:
            address = Address(url or f"{server.url}/v1/rerank", "rerank endpoint", "x.base_url", "TEST_KEY", "Wait.")
            return JsonEndpoint(http, address, Patience(tries, 30.0))

        yield make


def test_an_answer_comes_back(server: Loopback, client: Callable[..., JsonEndpoint]) -> None:
    found = client().post({"年假": "leave"})
    assert found == {"echo": {"年假": "leave"}}
    assert (server.paths, server.keys) == (["/v1/rerank"], [f"Bearer {KEY}"])


def test_what_may_pass_is_tried_again_and_each_try_is_counted(
    server: Loopback, client: Callable[..., JsonEndpoint], waits: list[float]
) -> None:
    server.script = [
        (429, {"Retry-After": "7"}, {}),
        (503, {"Retry-After": formatdate(usegmt=True)}, {}),
        (500, {}, ""),
    ]
    asked = client()
    assert asked.post({}) == {"echo": {}}
    assert asked.n_calls == 4
    waited = [wait for wait in waits if wait]
    assert 6.5 < waited[0] <= 7 and 2.0 <= waited[-1] <= 2.5 and all(wait <= 1 for wait in waited[1:-1])


def test_it_gives_up_with_the_reason(server: Loopback, client: Callable[..., JsonEndpoint], waits: list[float]) -> None:
    server.script = [(429, {}, {})] * 3
    with pytest.raises(UserError, match=r"rerank endpoint http.*status 429 in 3 tries. Wait.") as caught:
        client(tries=3).post({})
    assert (caught.value.calls, len(waits)) == (3, 2)
    assert 0.5 <= waits[0] <= 1.0 <= waits[1] <= 1.5
    with pytest.raises(UserError, match="ConnectError in 2 tries"):
        client("http://127.0.0.1:1/rerank", tries=2).post({})


def test_a_wish_to_wait_longer_than_the_patience_is_not_pressed(
    server: Loopback, client: Callable[..., JsonEndpoint], waits: list[float]
) -> None:
    server.script = [(429, {"Retry-After": "9999"}, {})] * 3
    with pytest.raises(UserError, match=r"status 429 and the wish to wait 9999 s.*longer waits than 30 s") as caught:
        client().post({})
    assert (caught.value.calls, len(server.asked), waits) == (1, 1, [])


def test_while_such_a_wish_holds_nothing_more_is_sent(server: Loopback) -> None:
    server.script = [(429, {"Retry-After": "2"}, {})]
    with httpx.Client(timeout=5.0) as http:
        asked = JsonEndpoint(http, Address(server.url, "rerank endpoint", "x", ""), Patience(4, 0.2))
        for calls in (1, 0, 0):
            with pytest.raises(UserError, match=r"the wish to wait 2 s.*longer waits than 0\.2 s") as caught:
                asked.post({})
            assert caught.value.calls == calls
        assert (len(server.asked), asked.n_calls) == (1, 1)
        time.sleep(2)
        assert asked.post({}) == {"echo": {}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (401, {"error": KEY}, ConfigError, "TEST_KEY"),
        (404, "no such page", ConfigError, r"an address of /rerank.*Check x.base_url"),
        (302, "", ConfigError, "Check x.base_url"),
        (413, {"error": f"batch too large, {KEY}"}, Refused, r"status 413: .*too large, \*\*\*"),
        (200, b"<html>" + KEY.encode(), DataError, r"expected JSON, found <html>\*\*\*"),
    ],
)
def test_faults_are_told_without_the_key(
    server: Loopback,
    client: Callable[..., JsonEndpoint],
    caplog: pytest.LogCaptureFixture,
    status: int,
    body: Any,
    kind: type[Exception],
    message: str,
) -> None:
    server.script = [(status, {}, body)]
    with caplog.at_level(logging.DEBUG), pytest.raises(kind, match=message) as caught:
        client().post({})
    assert KEY not in str(caught.value) + caplog.text
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [None, "", " "])
def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("TEST_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("TEST_KEY", value)
    with pytest.raises(ConfigError, match=r"variable TEST_KEY.*x.api_key_env=''"):
        bearer("TEST_KEY", "reranker api", "x.api_key_env")
    assert bearer("", "reranker api", "x.api_key_env") == {}


def test_a_key_that_no_header_can_hold_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "密钥123")
    with pytest.raises(ConfigError, match="ASCII") as caught:
        bearer("TEST_KEY", "reranker api", "x")
    assert "密钥" not in str(caught.value)


def test_lone_surrogates_become_sendable() -> None:
    assert sendable("年\ud800a") == "年\ufffda"


@pytest.mark.parametrize(
    ("headers", "content", "message"),
    [
        ({}, b"[" * 100_000 + b"]" * 100_000, "expected JSON, found nesting that is too deep"),
        ({}, b"1" * 5000, "expected JSON, found 111"),
        ({}, b"\xff\xfe\x00", "expected JSON"),
        ({"Content-Encoding": "gzip"}, b"not packed", "content in the encoding that it names"),
    ],
)
def test_hostile_content_is_one_clear_line(
    server: Loopback, client: Callable[..., JsonEndpoint], headers: dict[str, str], content: bytes, message: str
) -> None:
    server.script = [(200, headers, content)]
    with pytest.raises(DataError, match=message) as caught:
        client().post({})
    assert len(str(caught.value)) < 500 and "\n" not in str(caught.value)


def test_what_is_quoted_can_be_written(client: Callable[..., JsonEndpoint]) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert "nested too deep" in str(client().misshapen("x", deep))
    str(client().misshapen("x", "\ud800")).encode()


HUGE = int("1" * 401)


@pytest.mark.parametrize(
    ("told", "count"),
    [
        (7, 7),
        (7.0, 7),
        (0, 0),
        (-1, 0),
        (float("nan"), 0),
        (float("inf"), 0),
        (HUGE, 0),
        ("7", 0),
        (True, 0),
        (None, 0),
    ],
)
def test_token_counts(told: Any, count: int) -> None:
    assert token_count(told) == count


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1.0), (-0.5, -0.5), (HUGE, None), (float("nan"), None), (float("-inf"), None), ("1", None), (True, None)],
)
def test_finite_numbers(value: Any, number: float | None) -> None:
    assert finite(value) == number
