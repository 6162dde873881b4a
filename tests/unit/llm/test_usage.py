"""What answers used: counted whatever becomes of the reply, and unknown where nobody says it."""

from __future__ import annotations

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
from tests.chat_server import Act, ChatServer, chatting

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
