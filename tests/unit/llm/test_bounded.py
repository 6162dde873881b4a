"""An exchange ends, whatever the server does."""

from __future__ import annotations

import gzip
import threading
import time

import httpx
import pytest

from ragbench.errors import DataError, UserError
from ragbench.llm import bounded, endpoint
from ragbench.llm.bounded import TooLate, TooLong, receive
from ragbench.llm.endpoint import JsonEndpoint, Patience
from ragbench.llm.refusals import Address
from tests.loopback import DRIPS, dripping, serving


@pytest.mark.parametrize("part", DRIPS)
def test_a_dripping_server_is_left_after_the_time_out(part: str) -> None:
    before = set(threading.enumerate())
    with dripping(DRIPS[part]) as url:
        began = time.monotonic()
        with httpx.Client(timeout=0.5) as client, pytest.raises(TooLate, match=r"no whole answer within 0\.5 s"):
            receive(client, url, {})
        assert 0.4 < time.monotonic() - began < 5
        ours = [thread for thread in set(threading.enumerate()) - before if thread.name == "post"]
        for thread in ours:
            thread.join(5)
        assert not any(thread.is_alive() for thread in ours)


def test_each_try_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint.time, "sleep", lambda _: None)
    with dripping(DRIPS["body"]) as url, httpx.Client(timeout=0.3) as client:
        asked = JsonEndpoint(client, Address(url, "rerank endpoint", "x", ""), Patience(2, 1.0))
        with pytest.raises(UserError, match=r"no whole answer within 0\.3 s in 2 tries"):
            asked.post({})
        assert asked.n_calls == 2


@pytest.mark.parametrize("part", DRIPS)
def test_late_requests_leave_no_connection_behind_while_others_go_on(part: str) -> None:
    before = set(threading.enumerate())
    with dripping(DRIPS[part]) as url, httpx.Client(timeout=0.3) as client:
        asked = JsonEndpoint(client, Address(url, "rerank endpoint", "x", ""), Patience(1, 1.0))
        for _ in range(4):
            with pytest.raises(UserError, match="no whole answer"):
                asked.post({})
        ours = [thread for thread in set(threading.enumerate()) - before if thread.name == "post"]
        assert len(ours) <= 2
        for thread in ours:
            thread.join(5)
        assert not any(thread.is_alive() for thread in ours)
        with serving(lambda body: {"n": 1}) as server:
            asked.address = Address(server.url, "rerank endpoint", "x", "")
            assert [asked.post({}) for _ in range(3)] == [{"n": 1}] * 3
        asked.close()


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_that_is_too_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    monkeypatch.setattr(bounded, "MAX_BYTES", 1000)
    content, headers = (
        (gzip.compress(b"[" + b" " * 5000), {"Content-Encoding": "gzip"}) if packed else (b" " * 1001, {})
    )
    with serving(lambda body: (200, headers, content)) as server, httpx.Client(timeout=5.0) as client:
        with pytest.raises(TooLong):
            receive(client, server.url, {})
        with pytest.raises(DataError, match="at most 256 MiB, found more"):
            JsonEndpoint(client, Address(server.url, "rerank endpoint", "x", ""), Patience(2, 1.0)).post({})
        server.answer = lambda body: b" " * 1000
        assert len(receive(client, server.url, {}).content) == 1000


def test_connections_are_used_again() -> None:
    with serving(lambda body: {"n": 1}) as server, httpx.Client(timeout=5.0) as client:
        found = [receive(client, server.url, {}) for _ in range(3)]
    assert {(one.status, one.text) for one in found} == {(200, '{"n": 1}')}


def test_without_a_time_out_it_waits() -> None:
    with serving(lambda body: [1]) as server, httpx.Client(timeout=None) as client:
        assert receive(client, server.url, {}).content == b"[1]"
