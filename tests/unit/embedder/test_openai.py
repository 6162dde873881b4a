"""The client against a real HTTP server on this machine."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ragbench.embedder.openai import OpenAIEmbedder
from ragbench.embedder.token_estimate import estimate_tokens
from ragbench.errors import ConfigError, DataError, UserError
from ragbench.llm import endpoint, pace

KEY = "sk-test-123456"


@dataclass
class Server:
    """Answers with vectors made from the text; `script` holds (status, headers, body) given out first."""

    url: str = ""
    script: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        self.requests.append(body)
        if self.script:
            return self.script.pop(0)
        rows = [{"index": n, "embedding": vector(text)} for n, text in enumerate(body["input"])]
        return 200, {}, {"data": rows[::-1]}


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.keys.append(self.headers.get("Authorization"))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/embeddings"
            status, headers, content = state.answer(body)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    yield state
    http.shutdown()
    http.server_close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the endpoint waits; other threads of the process, which sleep on, are none of it."""
    waited: list[float] = []
    clock = SimpleNamespace(**vars(time) | {"sleep": waited.append})
    for module in (endpoint, pace):
        monkeypatch.setattr(module, "time", clock)
    return waited


@pytest.fixture
def make(server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[..., OpenAIEmbedder]:
    monkeypatch.setenv("TEST_KEY", KEY)

    def stage(**changed: Any) -> OpenAIEmbedder:
        fields: dict[str, Any] = {
            "base_url": server.url,
            "model": "m",
            "dimensions": 3,
            "send_dimensions": False,
            "query_prefix": "q: ",
            "passage_prefix": "",
            "max_tokens": 20,
            "overflow": "window_mean",
            "api_key_env": "TEST_KEY",
            "batch_size": 2,
        }
        return OpenAIEmbedder(**{**fields, **changed})

    return stage


def unit(rows: list[list[float]]) -> np.ndarray:
    array = np.array(rows, np.float64)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def test_vectors_come_back_in_order(server: Server, make: Callable[..., OpenAIEmbedder]) -> None:
    texts = ["员工年假", "annual leave", "年假 leave"]
    with make().open() as worker:
        np.testing.assert_allclose(worker.embed_documents(texts), unit([vector(t) for t in texts]), rtol=1e-6)
        np.testing.assert_allclose(worker.embed_queries(["x"]), unit([vector("q: x")]), rtol=1e-6)
        assert worker.embed_documents([]).shape == (0, 3)
    assert [request["input"] for request in server.requests] == [texts[:2], texts[2:], ["q: x"]]
    assert "dimensions" not in server.requests[0]
    assert server.keys[0] == f"Bearer {KEY}"


def test_dimensions_are_asked_for_on_request(server: Server, make: Callable[..., OpenAIEmbedder]) -> None:
    with make(send_dimensions=True, api_key_env="").open() as worker:
        worker.embed_documents(["x"])
    assert server.requests[0]["dimensions"] == 3
    assert server.keys == [None]


def test_empty_texts_and_surrogates_are_sendable(server: Server, make: Callable[..., OpenAIEmbedder]) -> None:
    with make().open() as worker:
        assert worker.embed_documents(["", "a\ud800\0"]).shape == (2, 3)
    assert server.requests[0]["input"] == [" ", "a\ufffd\0"]


def test_retries_wait_as_long_as_the_server_asks(
    server: Server, make: Callable[..., OpenAIEmbedder], waits: list[float]
) -> None:
    server.script = [
        (429, {"Retry-After": "7"}, {}),
        (503, {"Retry-After": formatdate(usegmt=True)}, {}),
        (500, {}, "oops"),
        (429, {"Retry-After": "29"}, {}),
    ]
    with make().open() as worker:
        assert worker.embed_documents(["x"]).shape == (1, 3)
    waited = [wait for wait in waits if wait]
    assert 6.5 < waited[0] <= 7
    assert all(wait <= 1 for wait in waited[1:-2])
    assert 2.0 <= waited[-2] <= 2.5
    assert 28.5 < waited[-1] <= 29


def test_it_gives_up_with_the_reason(server: Server, make: Callable[..., OpenAIEmbedder], waits: list[float]) -> None:
    server.script = [(500, {}, "oops")] * 3
    with make(max_tries=3).open() as worker, pytest.raises(UserError, match=r"status 500 in 3 tries"):
        worker.embed_documents(["x"])
    assert (len(server.requests), len(waits)) == (3, 2)
    assert 0.5 <= waits[0] <= 1.0 <= waits[1] <= 1.5


def test_a_closed_port_is_a_user_error(make: Callable[..., OpenAIEmbedder], waits: list[float]) -> None:
    closed = make(base_url="http://127.0.0.1:1/v1", max_tries=2)
    with closed.open() as worker, pytest.raises(UserError, match=r"127.0.0.1:1.*ConnectError in 2 tries"):
        worker.embed_documents(["x"])
    assert len(waits) == 1 and 0.5 <= waits[0] <= 1.0


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (401, {"error": f"bad key {KEY}"}, ConfigError, "TEST_KEY"),
        (404, "no such page", ConfigError, "base_url"),
        (400, {"error": f"too long; key {KEY}"}, DataError, r"status 400: .*too long; key \*\*\*"),
        (200, b"<html>", DataError, "expected JSON"),
        (200, {"error": "x"}, DataError, "a list `data`"),
        (200, {"data": []}, DataError, "expected 1 vectors, found 0"),
        (200, {"data": [{"index": 4, "embedding": [1, 2, 3]}]}, DataError, "indexes 0 to 0"),
        (
            200,
            {"data": [{"embedding": [1, 2]}]},
            DataError,
            r"vectors of 3 numbers \(pipeline.embedder.dimensions\), found 2",
        ),
        (200, {"data": [{"embedding": None}]}, DataError, "found none"),
        (200, {"data": [{"embedding": ["a", "b", "c"]}]}, DataError, "expected numbers"),
        (200, b'{"data": [{"embedding": [NaN, 1, 2]}]}', DataError, r"'报销'.*NaN"),
        (200, {"data": [{"embedding": [None, 1, 2]}]}, DataError, r"'报销'.*NaN"),
        (200, {"data": [{"embedding": [0, 0, 0]}]}, DataError, r"'报销'.*zero vector"),
    ],
)
def test_bad_answers_are_named(
    server: Server,
    make: Callable[..., OpenAIEmbedder],
    caplog: pytest.LogCaptureFixture,
    status: int,
    body: Any,
    kind: type[Exception],
    message: str,
) -> None:
    server.script = [(status, {}, body)]
    with caplog.at_level(logging.DEBUG), make().open() as worker, pytest.raises(kind, match=message) as caught:
        worker.embed_documents(["报销"])
    assert KEY not in str(caught.value)
    assert KEY not in caplog.text
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_is_found_before_anything_is_sent(
    server: Server, make: Callable[..., OpenAIEmbedder], monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("TEST_KEY")
    if value is not None:
        monkeypatch.setenv("TEST_KEY", value)
    with pytest.raises(ConfigError, match="environment variable TEST_KEY"), make().open():
        pass
    assert server.requests == []


def test_a_key_that_no_header_can_hold_is_not_repeated(
    make: Callable[..., OpenAIEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", "密钥123")
    with pytest.raises(ConfigError, match="ASCII") as caught, make().open():
        pass
    assert "密钥" not in str(caught.value)


def test_long_texts_are_cut_by_estimate(server: Server, make: Callable[..., OpenAIEmbedder]) -> None:
    text = "报销制度" * 12
    with make(batch_size=10).open() as worker:
        (row,) = worker.embed_documents([text])
    pieces = server.requests[0]["input"]
    assert "".join(pieces) == text
    assert [len(piece) for piece in pieces] == [16, 16, 16]
    expected = unit([vector(piece) for piece in pieces]).mean(axis=0)
    np.testing.assert_allclose(row, expected / np.linalg.norm(expected), rtol=1e-5)
    with make(overflow="truncate").open() as worker:
        worker.embed_documents([text])
    assert server.requests[1]["input"] == [text[:20]]


@pytest.mark.parametrize(
    "text",
    [
        "员工年假规定，" * 200,
        "abcdefghij " * 300,
        "abcdefghij " * 1000 + "年假规定" * 250,
        "年假规定" * 250 + "supercalifragilistic" * 90 + " a\n" * 90,
        "Kubernetes 集群 v1.27，打开 feature flag。\u3000\n\n" * 60,
    ],
    ids=["zh", "en", "en then zh", "zh then en", "mixed"],
)
@pytest.mark.parametrize("limit", [16, 512])
def test_no_piece_is_longer_than_the_window(
    server: Server, make: Callable[..., OpenAIEmbedder], text: str, limit: int
) -> None:
    with make(batch_size=2048, max_tokens=limit).open() as worker:
        worker.embed_documents([text])
        worker.embed_queries([text])
    passages, queries = (request["input"] for request in server.requests)
    assert "".join(passages) == text
    assert "".join(piece.removeprefix("q: ") for piece in queries) == text
    sizes = [estimate_tokens(piece) for piece in passages]
    assert max(map(estimate_tokens, [*passages, *queries])) <= limit
    assert len(sizes) == -(-estimate_tokens(text) // limit), "the fewest there can be"
    assert max(sizes) - min(sizes) <= 1


def test_there_are_no_token_vectors(make: Callable[..., OpenAIEmbedder]) -> None:
    with make().open() as worker:
        with pytest.raises(ConfigError, match="one vector a text"):
            worker.token_vectors([], "query")
        assert worker.count_tokens(["报销 leave"]) == [4]


def test_space_knows_what_changes_vectors(make: Callable[..., OpenAIEmbedder]) -> None:
    base = make().fingerprint()
    assert make(batch_size=9, api_key_env="", timeout_s=1.0).fingerprint() == base
    for changed in ({"model": "n"}, {"dimensions": 4}, {"query_prefix": ""}, {"base_url": "http://other/v1"}):
        assert make(**changed).fingerprint() != base


@pytest.mark.parametrize(
    "changed",
    [{"base_url": "api.openai.com"}, {"dimensions": 0}, {"batch_size": 0}, {"overflow": "x"}, {"max_tokens": 2}],
)
def test_bad_fields_are_refused(make: Callable[..., OpenAIEmbedder], changed: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"embedder.{next(iter(changed))}"):
        make(**changed)
