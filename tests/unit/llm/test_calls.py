"""Calls of models: what is kept, what is sent once, what is counted, and what ends it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.store import Store
from ragbench.errors import ConfigError, UserError
from ragbench.llm.base import ChatRequest, Reply
from ragbench.llm.budget import BudgetSpent
from ragbench.llm.calls import TABLE, ModelCalls
from ragbench.llm.cassettes import MissingEntry
from ragbench.llm.ledger import now_counts
from ragbench.llm.offers import WISH_VERSION
from ragbench.llm.request_key import request_key
from ragbench.llm.settings import MODES, CallSettings, Limits

from .doubles import FakeModel, reply, request


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store(tmp_path / "store")
    yield found
    found.close()


def calls_of(store: Store, **changed: Any) -> ModelCalls:
    return ModelCalls(store, CallSettings(**{"cassettes": str(store.root.parent / "cassettes"), **changed}))


def test_a_reply_is_asked_for_once_and_keeps_its_costs(store: Store) -> None:
    model = FakeModel()
    with calls_of(store) as calls:
        asker = calls.asker(model, "query")
        assert calls.asker(FakeModel(), "query") is asker
        first = asker.ask(request())
        assert asker.ask(request()) == first == reply("年假几天？")
    with calls_of(store) as again:
        assert again.asker(model, "judge").ask(request()) == first
        told = again.ledger.cost(again.ledger.state())["judge"]
        assert (told["calls"], told["prompt_tokens"], told["price"]) == (1, 10, None)
        assert now_counts(again.ledger.state())["judge"] == {
            "asks": 1, "sent": 0, "sent_tokens": 0, "stored": 1, "replayed": 0, "failed": 0, "refused": 0,
        }  # fmt: skip
    assert len(model.asked) == 1


def test_log_probabilities_come_back_from_the_store(store: Store) -> None:
    model = FakeModel(say=lambda asked: reply("是", first={"是": -0.1, "否": -2.5}))
    for _ in range(2):
        with calls_of(store) as calls:
            assert calls.asker(model, "x").ask(request(logprobs=True)).first == {"是": -0.1, "否": -2.5}
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "changed",
    [{"max_tokens": 8}, {"schema": {"type": "object"}}, {"logprobs": True}, {"sample": 1}],
    ids=lambda changed: next(iter(changed)),
)
def test_everything_that_reaches_the_server_and_the_sample_is_in_the_key(changed: dict[str, Any]) -> None:
    recipe = FakeModel().recipe()
    assert request_key(recipe, request(**changed)) != request_key(recipe, request())
    assert request_key(recipe, request("other")) != request_key(recipe, request())
    assert request_key(FakeModel(model="other").recipe(), request()) != request_key(recipe, request())
    assert request_key(recipe, request(prompt="rewrite/2")) == request_key(recipe, request())


def test_the_words_of_the_wish_for_json_are_in_the_key_by_their_version() -> None:
    recipe, wanted = FakeModel().recipe(), request(schema={"type": "object"})
    assert len({request_key(recipe, wanted, version) for version in (1, 2, 3)}) == 3
    assert request_key(recipe, wanted) == request_key(recipe, wanted, WISH_VERSION)
    assert len({request_key(recipe, request(), version) for version in (1, 2, 3)}) == 1, "free text needs no wish"


@pytest.mark.parametrize("mode", MODES)
def test_a_stages_own_memory_is_passed_by_where_replies_are_recorded_or_replayed(store: Store, mode: str) -> None:
    with calls_of(store, mode=mode) as calls:
        assert calls.on_tape == (mode in ("record", "replay"))


def test_failures_are_counted_and_never_kept(store: Store) -> None:
    def down(asked: ChatRequest) -> Reply:
        error = UserError("server", found="down")
        error.calls = 4
        raise error

    with calls_of(store) as calls:
        for _ in range(2):
            with pytest.raises(UserError, match="down") as caught:
                calls.asker(FakeModel(say=down), "query").ask(request())
            assert caught.value.calls == 4
        told = calls.ledger.cost(calls.ledger.state())["query"]
        assert (told["calls"], told["failed"]) == (8, 2)
    assert len(store.table(TABLE)) == 0


def test_a_wrong_key_is_found_out_once(store: Store) -> None:
    def refuse(asked: ChatRequest) -> Reply:
        error = ConfigError("endpoint", expected="a key it accepts", found="status 401", hint="Check it.")
        error.calls = 1
        raise error

    model = FakeModel(say=refuse)
    with calls_of(store) as calls:
        seen = []
        for text in ("a", "b"):
            with pytest.raises(ConfigError, match=r"status 401. Check it") as caught:
                calls.asker(model, "query").ask(request(text))
            seen.append(caught.value.calls)
    assert (seen, len(model.asked)) == ([1, 0], 1)


def test_equal_requests_at_a_time_are_sent_once(store: Store) -> None:
    def slowly(asked: ChatRequest) -> Reply:
        time.sleep(0.2)
        return reply("x")

    model = FakeModel(say=slowly)
    with calls_of(store) as calls, ThreadPoolExecutor(6) as pool:
        asker = calls.asker(model, "query")
        assert set(pool.map(lambda _: asker.ask(request()).text, range(6))) == {"x"}
        assert now_counts(calls.ledger.state())["query"]["sent"] == 1
    assert len(model.asked) == 1


def test_no_more_than_concurrency_are_under_way(store: Store) -> None:
    under_way, most, lock = [0], [0], threading.Lock()

    def count(asked: ChatRequest) -> Reply:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        time.sleep(0.02)
        with lock:
            under_way[0] -= 1
        return reply("x")

    with calls_of(store, concurrency=3) as calls, ThreadPoolExecutor(10) as pool:
        asker = calls.asker(FakeModel(say=count), "query")
        list(pool.map(lambda n: asker.ask(request(str(n))), range(30)))
    assert most[0] == 3


TWO = """
import sys, time
from pathlib import Path
from ragbench.core.store import Store
from ragbench.llm.calls import ModelCalls
sys.path.insert(0, sys.argv[2])
from tests.unit.llm.doubles import FakeModel, reply, request
model = FakeModel(say=lambda asked: (time.sleep(0.3), reply(sys.argv[3]))[1])
with ModelCalls(Store(Path(sys.argv[1]))) as calls:
    print(calls.asker(model, "query").ask(request()).text)
"""


def asking(store: Store, name: str) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).resolve().parents[3])
    return subprocess.Popen([sys.executable, "-c", TWO, str(store.root), root, name], stdout=subprocess.PIPE, cwd=root)


def test_two_processes_agree_on_one_reply(store: Store) -> None:
    def said(process: subprocess.Popen[bytes]) -> str:
        return process.communicate(timeout=120)[0].decode().strip()

    heard = [said(process) for process in [asking(store, "one"), asking(store, "two")]]
    kept = said(asking(store, "three"))
    assert kept in {"one", "two"}
    assert set(heard) == {kept}


def test_off_opens_nothing_and_refuses_even_what_is_kept(store: Store) -> None:
    model = FakeModel()
    with calls_of(store) as calls:
        calls.asker(model, "query").ask(request())
    with calls_of(store, mode="off") as calls:
        with pytest.raises(UserError, match=r"models are off.*RAGBENCH_LLM") as caught:
            calls.asker(model, "query").ask(request())
        assert caught.value.calls == 0
        assert now_counts(calls.ledger.state())["query"]["refused"] == 1
    assert len(model.opened) == 1


def test_replay_reads_cassettes_alone(store: Store) -> None:
    model = FakeModel()
    with calls_of(store, mode="record") as calls:
        calls.asker(model, "query").ask(request(prompt="rewrite/1"))
        calls.asker(model, "query").ask(request("另一个"))
    with calls_of(Store(store.root.parent / "empty"), mode="replay") as calls:
        asker = calls.asker(FakeModel(), "query")
        assert asker.ask(request()) == reply("年假几天？")
        with pytest.raises(
            MissingEntry, match=r"a query call \(prompt rewrite/9\).*'没有录过', sample 2, key [0-9a-f]{16}"
        ):
            asker.ask(request("没有录过", sample=2, prompt="rewrite/9"))
        assert now_counts(calls.ledger.state())["query"]["replayed"] == 1
    assert (len(model.opened), len(model.asked)) == (1, 2)


def test_recording_goes_on_where_it_was(store: Store) -> None:
    model, folder = FakeModel(), store.root.parent / "cassettes"
    for texts in (["b", "a"], ["c", "a"]):
        with calls_of(store, mode="record") as calls:
            for text in texts:
                calls.asker(model, "query").ask(request(text))
    lines = (folder / "query.fake.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3 == len(model.asked)
    assert [line[9:73] for line in lines] == sorted(line[9:73] for line in lines)


def test_recording_asks_for_what_the_cassettes_lack_also_with_a_new_store(store: Store) -> None:
    model = FakeModel()
    for place, texts in ((store, ["b", "a"]), (Store(store.root.parent / "empty"), ["c", "a"])):
        with calls_of(place, mode="record") as calls:
            for text in texts:
                calls.asker(model, "query").ask(request(text))
            counted = now_counts(calls.ledger.state())["query"]
    assert (len(model.asked), counted["replayed"], counted["sent"]) == (3, 1, 1)


@pytest.mark.parametrize(
    ("limits", "n"),
    [
        ({"calls": 3}, 3),
        ({"tokens": 30}, 3),
        ({"calls": 0}, 0),
        ({"tokens": 1}, 1),
    ],
)
def test_the_budget_ends_it(store: Store, limits: dict[str, int], n: int) -> None:
    model = FakeModel()
    with calls_of(store, budget=Limits(**limits)) as calls:
        asker = calls.asker(model, "query")
        for number in range(n):
            asker.ask(request(str(number)))
        with pytest.raises(BudgetSpent, match=f"calls.budget.{next(iter(limits))}") as caught:
            asker.ask(request("one more"))
        assert caught.value.calls == 0
        assert all(asker.ask(request(str(number))) for number in range(n)), "what is in the store costs nothing"
    assert len(model.asked) == n


def test_a_budget_of_calls_holds_for_threads(store: Store) -> None:
    model = FakeModel(say=lambda asked: (time.sleep(0.01), reply("x"))[1])
    with calls_of(store, budget=Limits(calls=5), concurrency=8) as calls, ThreadPoolExecutor(8) as pool:
        asker = calls.asker(model, "query")

        def ask(n: int) -> bool:
            try:
                return bool(asker.ask(request(str(n))))
            except BudgetSpent:
                return False

        assert sum(pool.map(ask, range(40))) == 5
    assert len(model.asked) == 5


def test_money_needs_a_price(store: Store, tmp_path: Path) -> None:
    with calls_of(store, budget=Limits(money=1.0)) as calls, pytest.raises(ConfigError, match="a price of fake"):
        calls.asker(FakeModel(), "query")
    prices = tmp_path / "prices.yaml"
    prices.write_text("- {model: fake, input: 50000, output: 250000, currency: CNY}", encoding="utf-8")
    with calls_of(store, budget=Limits(money=1.5), prices=str(prices)) as calls:
        asker = calls.asker(FakeModel(), "query")
        asker.ask(request("1"))
        asker.ask(request("2"))
        with pytest.raises(BudgetSpent, match=r"calls.budget.money=1.5.*found 2 spent"):
            asker.ask(request("3"))
        told = calls.ledger.cost(calls.ledger.state())["query"]
        assert (told["price"], told["currency"]) == (2.0, "CNY")


def test_a_damaged_entry_is_asked_for_again(store: Store) -> None:
    model = FakeModel()
    with calls_of(store) as calls:
        calls.asker(model, "query").ask(request())
    table = store.table(TABLE)
    table._db.execute("UPDATE blobs SET value = x'00'")
    table._db.commit()
    for _ in range(2):
        with calls_of(store) as calls:
            assert calls.asker(model, "query").ask(request()).text == "年假几天？"
    assert len(model.asked) == 2
