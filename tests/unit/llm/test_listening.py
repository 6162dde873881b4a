"""Replies that are heard while they come, over the wire."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.store import Store
from ragbench.errors import UserError
from ragbench.llm.base import ChatRequest, Message
from ragbench.llm.calls import ModelCalls
from ragbench.llm.chat import ChatModel
from ragbench.llm.listening import Ear
from ragbench.llm.settings import call_settings
from tests.chat_server import Act, ChatServer, chatting, error

SAID = "十五天 fifteen days, 从入职第二年起 from the second year on。[1]"
ASKED = ChatRequest(messages=(Message("user", "年假 leave?"),), max_tokens=50)


class Heard:
    """What was heard of each try, and when the first words came."""

    def __init__(self) -> None:
        self.tries: list[str] = []
        self.pieces = 0
        self.first = 0.0

    def begin(self) -> None:
        self.tries.append("")

    def hear(self, text: str) -> None:
        self.first = self.first or time.perf_counter()
        self.pieces += 1
        self.tries[-1] += text


def asked(server: ChatServer, folder: Path, heard: Heard | None, role: str = "generator", **settings: Any) -> str:
    model = ChatModel(
        base_url=server.url, model="m", temperature=0, seed=None, extra={}, api_key_env="", max_tries=2, max_wait_s=0.01, timeout_s=5.0
    )  # fmt: skip
    with ModelCalls(Store(folder / "store"), call_settings(settings)) as calls:
        if heard is not None:
            calls.listeners["generator"] = heard
        return calls.asker(model, role).ask(ASKED).text


def saying(act: Callable[[int], Act]) -> Any:
    return chatting(lambda body: SAID, lambda n, body: act(n))


def test_words_are_heard_before_the_reply_is_whole(tmp_path: Path) -> None:
    heard = Heard()
    with saying(lambda n: Act(pause=0.03, reasoning="hm")) as server:
        assert asked(server, tmp_path, heard) == SAID
        ended = time.perf_counter()
    assert heard.tries == [SAID] and heard.pieces > 3
    assert ended - heard.first > 0.05
    assert server.asked[0]["stream"] is True


def test_who_does_not_listen_asks_for_the_whole(tmp_path: Path) -> None:
    heard = Heard()
    with saying(lambda n: Act()) as server:
        asked(server, tmp_path / "a", None)
        asked(server, tmp_path / "b", heard, role="judge")
    assert heard.tries == [] and not any("stream" in body for body in server.asked)


def test_a_kept_reply_is_not_heard_and_is_the_same(tmp_path: Path) -> None:
    with saying(lambda n: Act()) as server:
        first, again = Heard(), Heard()
        assert asked(server, tmp_path, first) == asked(server, tmp_path, again) == asked(server, tmp_path, None)
        assert (first.tries, again.tries, len(server.asked)) == ([SAID], [], 1)


@pytest.mark.parametrize("fault", [Act(cut=True), error(500, "busy"), Act(done=False)])
def test_a_try_that_failed_is_begun_anew(tmp_path: Path, fault: Act) -> None:
    heard = Heard()
    with saying(lambda n: fault if n == 0 else Act()) as server:
        assert asked(server, tmp_path, heard) == SAID
    assert len(heard.tries) == 2 and heard.tries[1] == SAID and SAID.startswith(heard.tries[0])


def test_a_refusal_says_nothing(tmp_path: Path) -> None:
    heard = Heard()
    with saying(lambda n: error(401, "no")) as server, pytest.raises(UserError):
        asked(server, tmp_path, heard)
    assert heard.tries == [""]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_events_may_be_cut_anywhere(ending: str, size: int) -> None:
    heard = Heard()
    lines = [
        'data: {"choices": [{"delta": {"content": "年假"}}]}', "", ": keep-alive", "", "event: x", "data: nonsense", "",
        'data:{"choices": [{"delta": {"content": "十天", "reasoning_content": "hm"}}]}', "", "data: [DONE]", "",
    ]  # fmt: skip
    data, ear = ending.join([*lines, ""]).encode(), Ear(heard)
    for at in range(0, len(data), size):
        ear(data[at : at + size])
    assert heard.tries == ["年假十天"]
    ear.close()
    ear(b'data: {"choices": [{"delta": {"content": "late"}}]}\n')
    assert heard.tries == ["年假十天"]
