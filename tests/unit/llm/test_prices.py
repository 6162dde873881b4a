"""Prices: dated, with a public source, the user's first, unknown when unknown."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from ragbench.errors import ConfigError
from ragbench.llm.chat import ChatModel
from ragbench.llm.ledger import Ledger, Tariff
from ragbench.llm.prices import SHIPPED, PriceTable

from .doubles import FakeModel, reply


def model(name: str, base_url: str = "https://api.openai.com/v1") -> ChatModel:
    return ChatModel(base_url=base_url, model=name, temperature=0, seed=None, extra={})


def test_every_shipped_price_has_its_source_and_date() -> None:
    for entry in json.loads(SHIPPED.read_text(encoding="utf-8"))["prices"]:
        assert entry["source"].startswith("https://")
        assert "2024-01-01" <= date.fromisoformat(entry["date"]).isoformat() == entry["date"]
        assert entry["told_by"]
        assert entry["currency"] and entry["host"]
        assert 0 < entry["input"] < entry["output"]


def test_a_price_is_of_a_model_at_an_address() -> None:
    table = PriceTable()
    known = table.tariff(model("gpt-4o-mini"))
    assert known.price(1_000_000, 2_000_000) == pytest.approx(known.input + 2 * known.output)  # type: ignore[operator]
    assert table.tariff(model("gpt-4o-mini", "http://127.0.0.1:1/v1")).price(1, 1) is None
    assert table.tariff(model("nobody-knows")).price(1, 1) is None


def test_the_users_prices_come_first(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        "prices:\n- {model: gpt-4o-mini, input: 1, output: 2, currency: CNY}\n- {model: fake, input: 0, output: 0, currency: USD}\n",
        encoding="utf-8",
    )
    table = PriceTable(str(path))
    assert (table.tariff(model("gpt-4o-mini")).input, table.tariff(model("gpt-4o-mini")).currency) == (1, "CNY")
    assert table.tariff(FakeModel()).price(100, 100) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "YAML or JSON"),
        ("5", "a list of entries"),
        ("[{input: 1}]", "fields model, input and output"),
        ("[{model: x, input: 1, output: free, currency: USD}]", "entry 1: output: .*'free'"),
        ("[{model: x, input: -1, output: 1, currency: USD}]", "entry 1: input"),
        ("[{model: x, input: .nan, output: 1, currency: USD}]", "entry 1: input"),
        ("[{model: x, input: 1, output: 1}]", "currency"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        PriceTable(str(path))
    with pytest.raises(ConfigError, match="No such file"):
        PriceTable(str(tmp_path / "gone.yaml"))


def test_a_role_with_one_unknown_price_has_none() -> None:
    ledger = Ledger()
    ledger.tariffs = {"a": Tariff("a", 1.0, 2.0, "USD"), "b": Tariff("b"), "c": Tariff("c", 1.0, 1.0, "CNY")}
    for role, names in {"query": "a", "judge": "ab", "reranker": "ac"}.items():
        for name in names:
            ledger.charge((role, name), reply("x", prompt_tokens=1_000_000, completion_tokens=500_000), "sent")
    told = ledger.cost(ledger.state())
    assert (told["query"]["price"], told["query"]["currency"]) == (2.0, "USD")
    assert (told["judge"]["price"], told["judge"]["models"]) == (None, ["a", "b"])
    assert told["reranker"]["price"] is None, "two currencies have no sum"
