"""How language models are called: nothing here changes what a reply means, only whether, how often and from where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ragbench.errors import ConfigError

MODES = ("live", "record", "replay", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may be spent in one process; None: as much as it takes. `calls` are requests sent, each try, `tokens` those
    of prompts and replies, `money` in the currency of the price table."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettings:
    """`mode`: `live` (network, replies kept in the store), `record` (also written to cassettes), `replay` (cassettes
    alone), `off` (every call is refused). `concurrency` counts requests under way at a time, to each model.
    `prices` is a file whose entries come before the shipped table."""

    mode: str = "live"
    cassettes: str = "cassettes"
    concurrency: int = 4
    budget: Limits = Limits()
    prices: str | None = None


def call_settings(node: Any) -> CallSettings:
    """The settings of a configuration's `calls` node; a missing node or field has its default.

    Raises ConfigError naming the first field that cannot be used.
    """
    told = dict(_mapping(node, "calls"))
    budget = dict(_mapping(told.pop("budget", None), "calls.budget"))
    if told.get("mode") is False:  # what YAML makes of a bare off
        told["mode"] = "off"
    _known(told, CallSettings, "calls")
    _known(budget, Limits, "calls.budget")
    settings = CallSettings(**told, budget=Limits(**budget))
    if settings.mode not in MODES:
        hint = "It is set by calls.mode or the environment variable RAGBENCH_LLM."
        raise ConfigError("calls.mode", expected=" or ".join(MODES), found=repr(settings.mode), hint=hint)
    if not _is_number(settings.concurrency, int) or settings.concurrency < 1:
        raise ConfigError("calls.concurrency", expected="1 or more", found=repr(settings.concurrency))
    if not isinstance(settings.cassettes, str) or not settings.cassettes.strip():
        raise ConfigError("calls.cassettes", expected="a folder", found=repr(settings.cassettes))
    if settings.prices is not None and not isinstance(settings.prices, str):
        raise ConfigError("calls.prices", expected="a file or null", found=repr(settings.prices))
    for name in ("calls", "tokens", "money"):
        value, kind = getattr(settings.budget, name), float if name == "money" else int
        if value is not None and (not _is_number(value, kind) or not value >= 0):
            raise ConfigError(f"calls.budget.{name}", expected="a number of 0 or more, or null", found=repr(value))
    return settings


def _mapping(node: Any, key: str) -> Mapping[str, Any]:
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        raise ConfigError(key, expected="fields", found=repr(node))
    return node


def _known(told: Mapping[str, Any], kind: type, key: str) -> None:
    names = [one.name for one in fields(kind)]
    unknown = sorted(set(told) - set(names))
    if unknown:
        raise ConfigError(f"{key}.{unknown[0]}", expected=f"one of {', '.join(names)}", found="no such field")


def _is_number(value: Any, kind: type) -> bool:
    numbers = (int, float) if kind is float else (int,)
    return isinstance(value, numbers) and not isinstance(value, bool)
