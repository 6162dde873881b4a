"""Against a server on this machine that speaks each style."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError, UserError
from ragbench.llm import endpoint
from ragbench.reranker.api import ApiReranker
from ragbench.reranker.base import RerankFailed
from tests.loopback import DRIPS, Loopback, dripping, serving

from .doubles import chunk, ranking

KEY = "sk-rerank-123456"
TEXTS = ["年假有十五天。", "Annual leave is fifteen days.", "", "年假 leave 15 天 " * 40]
CHUNKS = [chunk(number, text) for number, text in enumerate(TEXTS)]
GIVEN = ranking((3, 0.9), (0, 0.8), (2, 0.7), (1, 0.6))
QUESTIONS = {"zh": "年假有几天？", "en": "How long is annual leave?", "mixed": "年假 leave 几天？"}


def score(text: str) -> float:
    """What the server makes of a text: the longer the better, up to 1."""
    return min(1.0, len(text) / 100)


def results(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Best first, as servers sort them."""
    scored = [{"index": n, "relevance_score": score(text)} for n, text in enumerate(body["documents"])]
    return sorted(scored, key=lambda item: -item["relevance_score"])


def tei(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"index": n, "score": score(text)} for n, text in enumerate(body["texts"])][::-1]


ANSWERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "cohere": lambda body: {"id": "x", "results": results(body), "meta": {"tokens": {"input_tokens": 40}}},
    "jina": lambda body: {"model": "m", "results": results(body), "usage": {"total_tokens": 40, "prompt_tokens": 40}},
    "vllm": lambda body: {"results": [item | {"document": {"text": "x"}} for item in results(body)], "usage": {"total_tokens": 40}},
    "tei": tei,
}  # fmt: skip


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(ANSWERS["jina"]) as running:
        yield running


@pytest.fixture
def make(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ApiReranker]:
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setattr(endpoint.time, "sleep", lambda _: None)

    def stage(**changed: Any) -> ApiReranker:
        fields: dict[str, Any] = {
            "base_url": f"{server.url}/v1", "model": "m", "style": "jina", "max_documents": 100, "max_chars": None,
            "calibration": None, "threshold": None, "min_kept": 0, "on_failure": "raise", "api_key_env": "TEST_KEY",
            "max_tries": 2,
        }  # fmt: skip
        return ApiReranker(**{**fields, **changed})

    return stage


@pytest.fixture
def tools(tmp_path: Any) -> Tools:
    return Tools(Store(tmp_path))


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize("style", ANSWERS)
def test_each_style_is_spoken(
    server: Loopback, make: Callable[..., ApiReranker], tools: Tools, style: str, language: str
) -> None:
    server.answer = ANSWERS[style]
    with make(style=style).open(tools) as worker:
        new = worker.rerank(QUESTIONS[language], GIVEN, CHUNKS)
        assert worker.rerank(QUESTIONS[language], (), CHUNKS) == ()
        counted = worker.counts()
    assert [(hit.chunk, hit.rank, hit.former) for hit in new] == [(3, 1, 1), (1, 2, 4), (0, 3, 2), (2, 4, 3)]
    assert new[1].score == score(TEXTS[1])
    told = 0 if style == "tei" else 40
    assert counted == {"pairs": 4, "truncated": 0, "prompt_tokens": told, "dropped": 0, "calls": 1}
    (body,) = server.asked
    texts = [TEXTS[3], TEXTS[0], " ", TEXTS[1]]
    expected: dict[str, Any] = {
        "cohere": {"model": "m", "query": QUESTIONS[language], "documents": texts, "top_n": 4},
        "tei": {"query": QUESTIONS[language], "texts": texts, "truncate": True, "raw_scores": False},
    }
    expected["jina"] = expected["cohere"] | {"return_documents": False}
    expected["vllm"] = expected["cohere"] | {"truncate_prompt_tokens": -1}
    assert body == expected[style]
    assert (server.paths, server.keys) == (["/v1/rerank"], [f"Bearer {KEY}"])


@pytest.mark.parametrize("size", [1, 3, 4, 7])
def test_a_long_head_goes_in_several_requests(
    server: Loopback, make: Callable[..., ApiReranker], tools: Tools, size: int
) -> None:
    with make().open(tools) as worker:
        whole = worker.rerank("年假", GIVEN, CHUNKS)
    server.asked.clear()
    with make(max_documents=size).open(tools) as worker:
        assert worker.rerank("年假", GIVEN, CHUNKS) == whole
        assert worker.counts()["calls"] == len(server.asked) == -(-4 // size)
    assert max(len(body["documents"]) for body in server.asked) <= size


def test_long_texts_are_cut_and_counted(server: Loopback, make: Callable[..., ApiReranker], tools: Tools) -> None:
    with make(max_chars=10).open(tools) as worker:
        worker.rerank("年假", GIVEN, CHUNKS)
        assert worker.counts()["truncated"] == 2
    assert max(map(len, server.asked[0]["documents"])) == 10


def test_equal_scores_keep_the_former_order(server: Loopback, make: Callable[..., ApiReranker], tools: Tools) -> None:
    server.answer = lambda body: {"results": [{"index": n, "relevance_score": 0.5} for n in (2, 0, 3, 1)]}
    with make().open(tools) as worker:
        assert [hit.chunk for hit in worker.rerank("年假", GIVEN, CHUNKS)] == [3, 0, 2, 1]


WRONG = [
    ({"data": []}, "expected `results`, a list of {index, relevance_score}"),
    ([], "expected `results`"),
    ({"results": [{"index": 0, "relevance_score": 1.0}]}, "expected 4 scores, found 1, none at index 1"),
    ({"results": [{"index": n, "relevance_score": 1.0} for n in (0, 1, 1, 2)]}, "each index once, found index 1 twice"),
    ({"results": [{"index": n, "relevance_score": 1.0} for n in (1, 2, 3, 4)]}, "indexes from 0 to 3, found index 4"),
    ({"results": [{"index": -1, "relevance_score": 1.0}]}, "indexes from 0 to 3, found index -1"),
    ({"results": [{"index": "0", "relevance_score": 1.0}]}, "indexes from 0 to 3"),
    ({"results": [{"relevance_score": 1.0}]}, "indexes from 0 to 3"),
    ({"results": [{"index": 0, "relevance_score": None}]}, "finite scores, found None at index 0"),
    (b'{"results": [{"index": 0, "relevance_score": NaN}]}', "finite scores, found nan at index 0"),
    ({"results": [{"index": 0, "score": 0.4}]}, "finite scores"),
    (b"<html>", "expected JSON"),
    (b'{"results": [{"index": 0, "relevance_score": 1%s}]}' % (b"0" * 400), r"finite scores, found 1000.* at index 0"),
    (b'{"results": [{"index": 0, "relevance_score": 1%s}]}' % (b"0" * 5000), "expected JSON"),
    (b"[" * 100_000 + b"]" * 100_000, "expected JSON, found nesting that is too deep"),
]


@pytest.mark.parametrize(("content", "message"), WRONG)
def test_wrong_answers_are_this_questions_error(
    server: Loopback, make: Callable[..., ApiReranker], tools: Tools, content: Any, message: str
) -> None:
    server.answer = lambda body: content
    with make().open(tools) as worker, pytest.raises(DataError, match=message):
        worker.rerank("年假", GIVEN, CHUNKS)
    with make(on_failure="keep").open(tools) as worker, pytest.raises(RerankFailed, match=message):
        worker.rerank("年假", GIVEN, CHUNKS)


@pytest.mark.parametrize("told", ["NaN", "-Infinity", "-3", "1" * 401, '"many"'])
def test_usage_that_is_no_count_costs_no_scores(
    server: Loopback, make: Callable[..., ApiReranker], tools: Tools, told: str
) -> None:
    with make(on_failure="keep").open(tools) as worker:
        good = worker.rerank("年假", GIVEN, CHUNKS)
        server.answer = lambda body: (
            json.dumps({"results": results(body), "usage": {"total_tokens": "?"}}).replace('"?"', told).encode()
        )
        assert worker.rerank("年假", GIVEN, CHUNKS) == good
        assert worker.counts()["prompt_tokens"] == 40


@pytest.mark.parametrize("part", DRIPS)
def test_a_dripping_server_is_this_questions_failure(make: Callable[..., ApiReranker], tools: Tools, part: str) -> None:
    with dripping(DRIPS[part]) as url, make(base_url=url, on_failure="keep", timeout_s=0.3).open(tools) as worker:
        began = time.monotonic()
        with pytest.raises(RerankFailed, match=r"no whole answer within 0\.3 s in 2 tries"):
            worker.rerank("年假", GIVEN, CHUNKS)
        assert time.monotonic() - began < 5


def test_a_server_that_is_busy_is_asked_again(server: Loopback, make: Callable[..., ApiReranker], tools: Tools) -> None:
    server.script = [(429, {"Retry-After": "3"}, {})]
    with make().open(tools) as worker:
        assert worker.rerank("年假", GIVEN, CHUNKS)[0].chunk == 3
        assert worker.counts()["calls"] == 2
        server.script = [(503, {}, {})] * 2
        with pytest.raises(UserError, match="status 503 in 2 tries"):
            worker.rerank("年假", GIVEN, CHUNKS)


def test_a_wrong_key_is_no_questions_failure(server: Loopback, make: Callable[..., ApiReranker], tools: Tools) -> None:
    server.script = [(401, {}, {"error": KEY})]
    with make(on_failure="keep").open(tools) as worker, pytest.raises(ConfigError, match="TEST_KEY") as caught:
        worker.rerank("年假", GIVEN, CHUNKS)
    assert KEY not in str(caught.value)


def test_the_threshold_applies_to_probabilities(make: Callable[..., ApiReranker], tools: Tools) -> None:
    with make(calibration={"a": 4.0, "b": -1.0}, threshold=0.3).open(tools) as worker:
        new = worker.rerank("年假", GIVEN, CHUNKS)
        assert worker.counts()["dropped"] == 1
    assert [hit.chunk for hit in new] == [3, 1, 0]
    assert new[0].score == pytest.approx(0.952574, abs=1e-6)


def test_the_key_stands_nowhere(
    server: Loopback, make: Callable[..., ApiReranker], tools: Tools, caplog: pytest.LogCaptureFixture
) -> None:
    stage = make()
    with caplog.at_level(logging.DEBUG), stage.open(tools) as worker:
        worker.rerank("年假", GIVEN, CHUNKS)
    assert KEY not in caplog.text + repr(stage) + str(stage.recipe()) + repr(vars(worker)) + str(server.asked)


@pytest.mark.parametrize(
    "changed",
    [
        {"base_url": "api.jina.ai"}, {"style": "voyage"}, {"max_documents": 0}, {"max_chars": 0}, {"threshold": 1.5},
        {"min_kept": -1}, {"calibration": {"a": 0, "b": 1}}, {"on_failure": "ignore"}, {"timeout_s": 0},
    ],
)  # fmt: skip
def test_bad_fields_are_refused(make: Callable[..., ApiReranker], changed: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"reranker.{next(iter(changed))}"):
        make(**changed)


def test_what_is_operational_changes_no_fingerprint(make: Callable[..., ApiReranker]) -> None:
    assert make(timeout_s=1.0, max_tries=9, api_key_env="").fingerprint() == make().fingerprint()
    assert make(style="vllm").fingerprint() != make().fingerprint()
