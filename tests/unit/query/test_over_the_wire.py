"""Transforms with a model behind the protocol, and what is kept, counted, bounded and refused of their calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.llm.calls import ModelCalls
from ragbench.llm.cassettes import MissingEntry
from ragbench.llm.chat import ChatModel
from ragbench.llm.settings import call_settings
from ragbench.query.base import Query
from ragbench.query.hyde import HydeQuery
from ragbench.query.llm_rewriter import LlmRewriter
from ragbench.query.multi_query import MultiQuery
from ragbench.records.question import Question
from tests.chat_server import Act, ChatServer, chatting, error
from tests.unit.query.models import QUESTIONS, follow_up, texts

VARIANTS = {
    "zh": "成都研发居家办公天数规定",
    "en": "remote work allowance of engineers",
    "mixed": "成都 engineer 的 remote work 天数",
}


def say(body: dict[str, Any]) -> str:
    told = body["messages"][-1]["content"]
    language = "mixed" if "work from home" in told and "成都" in told else "zh" if "成都" in told else "en"
    return json.dumps({"queries": [VARIANTS[language]], "question": "How often does Go retry?"}, ensure_ascii=False)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chatting(say) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def model(server: ChatServer) -> ChatModel:
    return ChatModel(
        base_url=server.url, model="m", temperature=0, seed=None, extra={}, api_key_env="", max_tries=2, max_wait_s=0.01, timeout_s=5.0
    )  # fmt: skip


def stage(server: ChatServer, **changed: Any) -> MultiQuery:
    fields = {"classifier": None, "rewriter": None, "llm": model(server), "n": 3, "ranking": "rrf"}
    return MultiQuery(**(fields | changed))


def plans(one: Query, store: Store, questions: list[Question], **settings: Any) -> tuple[list[Any], ModelCalls]:
    with ModelCalls(store, call_settings(settings)) as calls, one.open(Tools(store, None, calls)) as query:
        return [query.plan(question) for question in questions], calls


ASKED = [Question(language, text) for language, text in QUESTIONS.items()]


def test_replies_are_asked_for_once_and_cost_the_same_ever_after(server: ChatServer, store: Store) -> None:
    first, _ = plans(stage(server), store, ASKED)
    again, _ = plans(stage(server), store, ASKED)
    assert len(server.asked) == 3
    assert [requests for _, requests in first] == [requests for _, requests in again]
    assert [view.usage for view, _ in first] == [view.usage for view, _ in again]
    assert [texts(requests)[1:] for _, requests in first] == [[VARIANTS[question.id]] for question in ASKED]
    assert first[0][0].usage | {"ms": 0} == {
        "calls": 1,
        "prompt_tokens": 50,
        "completion_tokens": 5,
        "fallbacks": 0,
        "ms": 0,
    }


@pytest.mark.parametrize(
    "act",
    [error(500, "down"), error(400, "context overflow", "context_length_exceeded"), error(404, "no such model", "model_not_found"),
     Act(body=b"<html>"), Act(body={"choices": []}), Act(content=""), Act(content="<think>hm, let me see"), Act(cut=True),
     Act(content="I cannot help with that.")],
)  # fmt: skip
def test_a_server_that_breaks_leaves_the_question(server: ChatServer, store: Store, act: Act) -> None:
    server.script = lambda n, body: act
    found, _ = plans(stage(server), store, ASKED)
    for question, (view, requests) in zip(ASKED, found):
        assert texts(requests) == [question.question]
        assert view.usage["fallbacks"] == 1
        assert view.fallback
        assert "\n" not in view.fallback


@pytest.mark.parametrize(
    "content",
    ["<think>the user wants other words</think>\n1. remote work allowance of engineers",
     '```json\n{"queries": ["remote work allowance of engineers"]}\n```', 'Sure!\n{"queries": ["remote work allowance of engineers"]}'],
)  # fmt: skip
def test_replies_are_read_however_they_are_wrapped(server: ChatServer, store: Store, content: str) -> None:
    server.script = lambda n, body: Act(content=content)
    found, _ = plans(stage(server), store, [ASKED[1]])
    assert texts(found[0][1])[1:] == ["remote work allowance of engineers"]
    assert found[0][0].usage["fallbacks"] == 0


def test_a_spent_budget_falls_back_and_goes_on(server: ChatServer, store: Store) -> None:
    found, _ = plans(stage(server), store, ASKED, budget={"calls": 1})
    assert len(server.asked) == 1
    assert [view.usage.get("fallbacks", 0) for view, _ in found] == [0, 1, 1]
    assert [len(requests) for _, requests in found] == [2, 1, 1]


def test_models_that_are_off_are_not_asked(server: ChatServer, store: Store) -> None:
    plans(stage(server), store, ASKED)
    found, _ = plans(stage(server), store, ASKED, mode="off")
    assert len(server.asked) == 3
    assert all(view.usage["fallbacks"] == 1 and "off" in view.fallback for view, _ in found)


def test_recorded_replies_are_replayed_without_a_server(server: ChatServer, store: Store, tmp_path: Path) -> None:
    folder = str(tmp_path / "cassettes")
    recorded, _ = plans(stage(server), store, ASKED[:2], mode="record", cassettes=folder)
    asked = len(server.asked)
    replayed, _ = plans(stage(server), Store(tmp_path / "other"), ASKED[:2], mode="replay", cassettes=folder)
    assert replayed == recorded
    with pytest.raises(MissingEntry, match="variant/1"):
        plans(stage(server), Store(tmp_path / "other"), ASKED, mode="replay", cassettes=folder)
    assert len(server.asked) == asked


def test_samples_and_a_rewriter_are_calls_of_their_own(server: ChatServer, store: Store) -> None:
    server.script = lambda n, body: (
        Act() if "BEGIN" in str(body) and n == 0 else Act(content="Go clients retry up to five times.")
    )
    one = HydeQuery(
        classifier=None, rewriter=LlmRewriter(llm=model(server), every=False), llm=model(server), n=3, question_weight=0.0
    )  # fmt: skip
    asked = follow_up("And in Go?", "How often does Python retry?", "Five times.")
    found, _ = plans(one, store, [asked])
    view, requests = found[0]
    assert view.text == "How often does Go retry?"
    assert texts(requests) == ["How often does Go retry?", "Go clients retry up to five times."]
    assert len(server.asked) == view.usage["calls"] == one.llm_calls(asked) == 4
