"""The `calls` node."""

from __future__ import annotations

from typing import Any

import pytest

from ragbench.errors import ConfigError
from ragbench.llm.settings import CallSettings, Limits, call_settings


def test_defaults_and_fields() -> None:
    assert call_settings({"mode": False}).mode == "off"
    assert call_settings(None) == call_settings({}) == CallSettings()
    node = {"mode": "replay", "cassettes": "c", "concurrency": 2, "budget": {"calls": 0, "money": 1.5}, "prices": None}
    assert call_settings(node) == CallSettings(
        mode="replay", cassettes="c", concurrency=2, budget=Limits(calls=0, money=1.5)
    )


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ([], "calls: expected fields"),
        ({"mode": "on"}, "calls.mode: expected live or record or replay or off.*RAGBENCH_LLM"),
        ({"mode": True}, "calls.mode"),
        ({"modes": "live"}, "calls.modes: .*no such field"),
        ({"concurrency": 0}, "calls.concurrency"),
        ({"concurrency": True}, "calls.concurrency"),
        ({"cassettes": ""}, "calls.cassettes"),
        ({"prices": 5}, "calls.prices"),
        ({"budget": 5}, "calls.budget: expected fields"),
        ({"budget": {"euros": 5}}, "calls.budget.euros"),
        ({"budget": {"calls": 1.5}}, "calls.budget.calls"),
        ({"budget": {"money": -1}}, "calls.budget.money"),
        ({"budget": {"money": float("nan")}}, "calls.budget.money"),
    ],
)
def test_what_cannot_be_used_is_named(node: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        call_settings(node)
