"""What answers used: counted whatever becomes of the reply, and unknown where nobody says it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.store import Store
from ragbench.errors import UserError
from ragbench.llm.budget import Budget, BudgetSpent
from ragbench.llm.calls import ModelCalls
from ragbench.llm.chat import ChatModel
from ragbench.llm.ledger import Tariff, billed, charge_again, now_counts
from ragbench.llm.settings import CallSettings, Limits
from ragbench.llm.usage import Usage
from ragbench.query.asking import ask
from tests.chat_server import Act, ChatServer, chatting, error

from .doubles import FakeModel, reply, request

USAGE = {"prompt_tokens": 50, "completion_tokens": 5}


def body(message: Any, usage: Any = USAGE) -> Act:
    return Act(body={"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


USELESS: dict[str, tuple[Act, bool, int]] = {
    "only thoughts": (Act(content="<think>hm"), False, 1),
    "empty": (Act(content=""), False, 1),
    "null content": (body({"content": None}), False, 1),
    "no message": (body(None), False, 1),
    "no choices": (Act(body={"choices": [], "usage": USAGE}), False, 1),
    "empty stream": (Act(content=""), True, 1),
    "no [DONE]": (Act(done=False), True, 3),
}


def asking(server: ChatServer, tmp_path: Path, stream: bool, **settings: Any) -> tuple[ModelCalls, ChatModel]:
    model = ChatModel(
        base_url=server.url, model="m", temperature=0, seed=None, extra={}, api_key_env="", max_tries=3, stream=stream,
    )  # fmt: skip
    return ModelCalls(Store(tmp_path / "store"), CallSettings(cassettes=str(tmp_path / "none"), **settings)), model


def priced(server: ChatServer, tmp_path: Path, stream: bool) -> tuple[ModelCalls, ChatModel]:
    """A model with a price, a limit in money and little patience."""
    prices = tmp_path / "prices.yaml"
    prices.write_text("- {model: m, input: 1, output: 1, currency: EUR}", encoding="utf-8")
    calls, model = asking(server, tmp_path, stream, prices=str(prices), budget=Limits(money=9.0))
    return calls, replace(model, timeout_s=0.6)


@contextmanager
def hanging_up() -> Iterator[str]:
    """The address of a server that reads a request whole and closes the connection."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}/v1"
        http.shutdown()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbench.llm.endpoint._FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("ragbench.llm.endpoint._JITTER_S", 0.01)


@pytest.mark.parametrize("name", USELESS)
def test_useless_replies_cost_what_they_used(tmp_path: Path, name: str) -> None:
    act, stream, tries = USELESS[name]
    with chatting(lambda _: "x", lambda n, _: act) as server:
        calls, model = asking(server, tmp_path, stream)
        with calls, billed() as bill:
            found, spent = ask(calls.asker(model, "query"), request(), lambda text: text)
            charge_again(bill)
            told = calls.ledger.cost(calls.ledger.state())["query"]
            sent = now_counts(calls.ledger.state())["query"]
    assert found is None
    assert (spent.calls, spent.prompt_tokens, spent.completion_tokens) == (tries, 50 * tries, 5 * tries)
    assert (told["prompt_tokens"], told["completion_tokens"], told["untold"]) == (100 * tries, 10 * tries, 0)
    assert (sent["sent"], sent["sent_tokens"]) == (tries, 55 * tries)


@pytest.mark.parametrize("name", USELESS)
@pytest.mark.parametrize("limit", ["tokens", "money"])
def test_a_budget_is_spent_by_useless_replies_too(tmp_path: Path, name: str, limit: str) -> None:
    act, stream, tries = USELESS[name]
    prices = tmp_path / "prices.yaml"
    prices.write_text("- {model: m, input: 1000000, output: 1000000, currency: EUR}", encoding="utf-8")
    with chatting(lambda _: "x", lambda n, _: act) as server:
        budget = Limits(**{limit: 2 * 55 * tries})
        calls, model = asking(server, tmp_path, stream, budget=budget, prices=str(prices))
        with calls:
            asker = calls.asker(model, "query")
            for n in range(5):
                with pytest.raises(BudgetSpent if n > 1 else UserError):
                    asker.ask(request(str(n)))
        assert len(server.asked) == 2 * tries


def test_a_reply_costs_the_streams_before_it_that_told_theirs(tmp_path: Path) -> None:
    with chatting(lambda _: "x", lambda n, _: Act(done=n > 0)) as server:
        calls, model = asking(server, tmp_path, True)
        with calls:
            found = calls.asker(model, "query").ask(request())
    assert (found.calls, found.prompt_tokens, found.completion_tokens, found.untold) == (2, 100, 10, 0)


@pytest.mark.parametrize(
    "usage",
    [None, {}, "none", [1], {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": 50}, {"prompt_tokens": "50", "completion_tokens": 5}, {"prompt_tokens": 50, "completion_tokens": -5}],
)  # fmt: skip
def test_usage_that_nobody_tells_is_unknown_everywhere(tmp_path: Path, usage: Any) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("- {model: m, input: 1, output: 1, currency: EUR}", encoding="utf-8")
    with chatting(lambda _: "x", lambda n, _: body({"content": "年假 leave"}, usage)) as server:
        for _ in range(2):  # sent, then from the store
            calls, model = asking(server, tmp_path, False, prices=str(prices))
            with calls, billed() as bill:
                found, spent = ask(calls.asker(model, "query"), request(), lambda text: text)
                told = calls.ledger.cost(calls.ledger.state())["query"]
                charge_again(bill)
                again = calls.ledger.cost(calls.ledger.state())["query"]
            assert (found, spent.usage["untold"]) == ("年假 leave", 1)
            assert (told["prompt_tokens"], told["completion_tokens"], told["price"], told["untold"]) == (
                None,
                None,
                None,
                1,
            )
            assert (again["untold"], again["price"]) == (2, None)
        assert len(server.asked) == 1


LOST: dict[str, tuple[Act, bool, int, int]] = {
    "no JSON": (Act(body=b"<html>busy</html>"), False, 1, 1),
    "cut JSON": (Act(body='{"choices": [{"message": {"content": "年假 15 天'.encode()), False, 1, 1),
    "nothing": (Act(body=b""), False, 1, 1),
    "cut answer": (Act(cut=True), False, 3, 3),
    "cut stream": (Act(cut=True), True, 3, 3),
    "late answer": (Act(pause=0.4), False, 3, 3),
    "late stream": (Act(pause=0.4), True, 3, 3),
    "no content of its encoding": (Act(headers={"Content-Encoding": "gzip"}), False, 1, 1),
    "500": (error(500, "oops"), False, 3, 0),
    "cut 500": (Act(500, body={"error": "oops"}, cut=True), False, 3, 0),
    "503 for a stream": (error(503, "overloaded"), True, 3, 0),
    "429": (error(429, "slow down", Retry_After="0"), False, 3, 0),
    "400": (error(400, "bad"), False, 1, 0),
    "401": (error(401, "no"), False, 1, 0),
}
"""An answer, whether it is streamed, the tries it takes, and those of them whose costs nobody knows."""


@pytest.mark.parametrize("name", LOST)
def test_an_answer_that_never_told_makes_costs_unknown_and_a_refusal_costs_nothing(tmp_path: Path, name: str) -> None:
    act, stream, tries, untold = LOST[name]
    with chatting(lambda _: "年假 leave", lambda n, _: act) as server:
        calls, model = priced(server, tmp_path, stream)
        with calls:
            found, spent = ask(calls.asker(model, "query"), request(), lambda text: text)
            told = calls.ledger.cost(calls.ledger.state())["query"]
            sent = now_counts(calls.ledger.state())["query"]
            notes = calls.budget.notes()
        assert len(server.asked) == tries
    assert (found, spent.calls, spent.untold, told["untold"]) == (None, tries, untold, untold)
    assert (told["prompt_tokens"], told["price"], sent["sent_tokens"]) == ((None,) * 3 if untold else (0, 0.0, 0))
    assert [f"{untold} answers did not say" in note for note in notes] == ([True] if untold else [])


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_bears_the_answer_before_it_that_was_lost(tmp_path: Path, stream: bool) -> None:
    with chatting(lambda _: "x", lambda n, _: Act(cut=n == 0)) as server:
        calls, model = priced(server, tmp_path, stream)
        with calls:
            found = calls.asker(model, "query").ask(request())
            told = calls.ledger.cost(calls.ledger.state())["query"]
    assert (found.text, found.calls, found.prompt_tokens, found.untold) == ("x", 2, 50, 1)
    assert (told["prompt_tokens"], told["price"]) == (None, None)


def test_a_server_that_cannot_be_reached_costs_nothing(tmp_path: Path) -> None:
    with chatting(lambda _: "x") as server:
        pass
    calls, model = priced(server, tmp_path, False)
    with calls, pytest.raises(UserError, match="ConnectError in 3 tries"):
        calls.asker(model, "query").ask(request())
    told = calls.ledger.cost(calls.ledger.state())["query"]
    assert (told["calls"], told["untold"], told["prompt_tokens"], told["price"]) == (3, 0, 0, 0.0)


def test_a_server_that_hangs_up_after_the_request_may_have_worked_on_it(tmp_path: Path) -> None:
    with hanging_up() as url:
        calls, model = priced(ChatServer(str, url=url), tmp_path, False)
        with calls, pytest.raises(UserError, match="in 3 tries"):
            calls.asker(model, "query").ask(request())
    told = calls.ledger.cost(calls.ledger.state())["query"]
    assert (told["untold"], told["prompt_tokens"], told["price"]) == (3, None, None)


def test_one_answer_that_does_not_tell_makes_the_sum_unknown(tmp_path: Path) -> None:
    model = FakeModel(say=lambda asked: reply("x", untold=int(asked.messages[-1].content == "b")))
    with ModelCalls(Store(tmp_path / "store")) as calls:
        for text in "aab":
            calls.asker(model, "query").ask(request(text))
        calls.asker(model, "judge").ask(request("a"))
        found = calls.ledger.cost(calls.ledger.state())
        sent = now_counts(calls.ledger.state())
    assert (found["query"]["prompt_tokens"], found["judge"]["prompt_tokens"]) == (None, 10)
    assert (sent["query"]["sent_tokens"], sent["judge"]["sent_tokens"]) == (None, 0)


def test_what_costs_nothing_costs_nothing_however_long(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("- {model: fake, input: 0, output: 0, currency: EUR}", encoding="utf-8")
    with ModelCalls(Store(tmp_path / "store"), CallSettings(prices=str(prices))) as calls:
        calls.asker(FakeModel(say=lambda asked: reply("x", untold=1)), "query").ask(request())
        assert calls.ledger.cost(calls.ledger.state())["query"]["price"] == 0.0


@pytest.mark.parametrize(
    ("limits", "untold", "told"),
    [
        ({"tokens": 9}, 2, "calls.budget.tokens cannot be checked: 2 answers"),
        ({"tokens": 9, "money": 1.0}, 1, "calls.budget.tokens and calls.budget.money cannot be checked"),
        ({"calls": 9}, 2, ""),
        ({"tokens": 9}, 0, ""),
    ],
)
def test_limits_that_cannot_be_kept_are_told(limits: dict[str, Any], untold: int, told: str) -> None:
    budget = Budget(Limits(**limits))
    budget.begin()
    budget.end({"calls": 1, "untold": untold}, Tariff("m"))
    assert told in " ".join(budget.notes())
    assert bool(budget.notes()) == bool(told)


def test_usage_is_added_up() -> None:
    usage = Usage()
    for answer in ({"usage": USAGE}, {"usage": {"prompt_tokens": 7, "completion_tokens": 0}}, {}, None, []):
        usage.note(answer)
    assert usage == Usage(57, 5, 3)
