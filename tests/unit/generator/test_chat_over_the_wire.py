"""Answers of a model behind the protocol, through the open half of a pipeline: kept, counted, replayed, never replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.memo import Memo
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.generator.chat import ChatGenerator
from ragbench.llm.calls import ModelCalls
from ragbench.llm.cassettes import MissingEntry
from ragbench.llm.chat import ChatModel
from ragbench.llm.settings import call_settings
from ragbench.pipeline.answering import Answering
from ragbench.records.question import Question
from ragbench.records.trace import Answer
from tests.chat_server import Act, ChatServer, chatting, error
from tests.unit.generator.fakes import NO_POLICY, context_of

TEXTS = {"zh": "员工年假十天。", "en": "Annual leave is ten days.", "mixed": "年假 annual leave 十天 days。"}
QUESTIONS = {"zh": "年假有几天？", "en": "How long is annual leave?", "mixed": "annual leave 年假有几天"}
SAID = {"zh": "年假十天。[1]", "en": "Annual leave is ten days [2].", "mixed": "年假 is ten days［3］。"}
CONTEXT = context_of(*TEXTS.values())


def say(body: dict[str, Any]) -> str:
    told = body["messages"][-1]["content"]
    return next(SAID[name] for name, question in QUESTIONS.items() if told.split("\n")[-4] == question)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chatting(say) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def stage(server: ChatServer, **changed: Any) -> ChatGenerator:
    model = ChatModel(
        base_url=server.url, model="m", temperature=0.1, seed=None, extra={}, api_key_env="", max_tries=2, max_wait_s=0.01, timeout_s=5.0
    )  # fmt: skip
    return ChatGenerator(
        **({"llm": model, "prompt": "strict", "max_tokens": 200, "grounding": "off"} | NO_POLICY | changed)
    )


def answers(one: ChatGenerator, store: Store, **settings: Any) -> tuple[dict[str, Answer | None], Any]:
    """What is answered to the three questions, and what the ledger says; errors are raised."""
    found = {}
    with ModelCalls(store, call_settings(settings)) as calls, one.open(Tools(store, None, calls)) as opened:
        answering = Answering(one, "", Memo(store.table("answers")), lambda: opened, lambda: 0.0)
        for name, text in QUESTIONS.items():
            times: dict[str, float] = {}
            found[name] = answering.answer(Question(name, text, reference="GOLD"), CONTEXT, times)
            assert times["generate"] > 0
        answering.memo.flush()
        return found, calls.ledger.cost(calls.ledger.state())


def test_an_answer_is_asked_for_once_and_costs_the_same_ever_after(server: ChatServer, store: Store) -> None:
    first, cost = answers(stage(server), store)
    again, then = answers(stage(server), store)
    assert len(server.asked) == 3
    assert (again, then) == (first, cost)
    assert cost["generator"] | {"price": 0, "currency": 0} == {
        "models": ["m"], "calls": 3, "prompt_tokens": 150, "completion_tokens": 15, "untold": 0, "failed": 0, "price": 0, "currency": 0,
    }  # fmt: skip
    cited = {name: [one.doc_id for one in answer.citations] for name, answer in first.items() if answer is not None}
    assert cited == {"zh": ["d1.md"], "en": ["d2.md"], "mixed": ["d3.md"]}
    assert server.asked[0]["temperature"] == 0.1 and server.asked[0]["max_tokens"] == 200
    assert "GOLD" not in str(server.asked)


def test_times_are_those_of_the_first_call(server: ChatServer, store: Store) -> None:
    server.script = lambda n, body: Act(pause=0.02)
    waited: list[float] = []
    for _ in range(2):
        with ModelCalls(store) as calls, stage(server).open(Tools(store, None, calls)) as opened:
            times: dict[str, float] = {}
            answering = Answering(stage(server), "", Memo(store.table("answers")), lambda: opened, lambda: 0.0)
            answering.answer(Question("q", QUESTIONS["zh"]), CONTEXT, times)
            waited.append(times["generate"])
    assert waited[0] == waited[1] > 50


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("around", ["<think>is it [2]? NO_ANSWER</think>{}", "{}<think>NO_ANSWER", "\n\n{}\n"])
def test_thoughts_are_no_part_of_an_answer(server: ChatServer, store: Store, around: str, stream: bool) -> None:
    server.script = lambda n, body: Act(content=around.format(say(body)))
    model = ChatModel(base_url=server.url, model="m", temperature=0, seed=None, extra={}, api_key_env="", stream=stream)
    found, _ = answers(stage(server, llm=model), store)
    assert [answer.text for answer in found.values() if answer] == [
        text.replace("［3］", "[3]") for text in SAID.values()
    ]


@pytest.mark.parametrize(
    "act",
    [error(500, "down"), error(400, "context overflow", "context_length_exceeded"), error(404, "no such model", "model_not_found"),
     Act(body=b"<html>"), Act(body={"choices": []}), Act(content=""), Act(content=" \n"), Act(content="<think>hm, let me see"),
     Act(content="", reasoning="ten days"), Act(cut=True)],
)  # fmt: skip
def test_a_server_that_breaks_gives_an_error_and_never_an_answer(server: ChatServer, store: Store, act: Act) -> None:
    server.script = lambda n, body: act
    with pytest.raises(UserError):
        answers(stage(server), store)
    server.script = lambda n, body: Act()
    found, _ = answers(stage(server), store)
    assert found["en"] is not None and found["en"].text == SAID["en"], "failures are not kept"


def test_a_reply_of_no_use_stays_one_and_is_paid_for(server: ChatServer, store: Store) -> None:
    server.script = lambda n, body: Act(content="[4]")
    for _ in range(2):
        with pytest.raises(UserError, match=r"expected an answer, found '\[4\]'"):
            answers(stage(server), store)
    assert len(server.asked) == 1


def test_models_that_are_off_give_an_error_although_replies_are_stored(server: ChatServer, store: Store) -> None:
    answers(stage(server), store)
    with pytest.raises(UserError, match="models are off"):
        answers(stage(server), store, mode="off")


def test_a_recording_is_made_of_what_is_stored_and_replays(server: ChatServer, store: Store, tmp_path: Path) -> None:
    folder = str(tmp_path / "cassettes")
    plain, _ = answers(stage(server), store)
    recorded, _ = answers(stage(server), store, mode="record", cassettes=folder)
    replayed, _ = answers(stage(server), Store(tmp_path / "other"), mode="replay", cassettes=folder)
    assert plain == recorded == replayed
    assert len(server.asked) == 3
    assert [path.name for path in Path(folder).glob("*.jsonl")] == ["generator.m.jsonl"]
    with pytest.raises(MissingEntry, match=r"generator call \(prompt answer_loose/1\)"):
        answers(stage(server, prompt="loose"), Store(tmp_path / "third"), mode="replay", cassettes=folder)
