"""Overrides and grids of them, in Hydra's grammar."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

from ragbench.errors import ConfigError

JUDGE_LLM = "judge_llm"
"""Chooses among the options of `llm`, for the judge alone."""


def check_form(override: str) -> None:
    """Raise ConfigError for what is no `key=value` (or `~key`)."""
    key, equals, _ = override.partition("=")
    if not key.strip() or not (equals or key.startswith("~")):
        raise ConfigError(f"argument {override}", expected="key=value", found="no key" if equals else "no =")


def quote(override: str) -> str:
    """An override in Hydra's grammar: a value with characters the grammar does not take bare is quoted.

    `question=年假有多少天？` becomes `question="年假有多少天？"`; values in the grammar (numbers, lists, `a,b`,
    quoted) stay.
    """
    key, equals, value = override.partition("=")
    if not equals or not value:
        return override
    try:
        parse(override)
    except Exception:  # whatever the grammar makes of it, a quoted value is taken as typed
        return f"{key}={literal(value)}"
    return override


def placed(overrides: Iterable[str]) -> list[str]:
    """The overrides with the choice of the judge's own model, `judge_llm=OPTION` of the group `llm`, in Hydra's form;
    `none` is that of the stages."""
    found = [item for item in overrides if item != f"{JUDGE_LLM}=none"]
    return [f"+llm@{item}" if item.startswith(f"{JUDGE_LLM}=") else item for item in found]


def expand(overrides: Sequence[str]) -> list[tuple[str, ...]]:
    """The grid of overrides with lists (`a=1,2`, `range(…)`, `choice(…)`), first key outermost.

    Read by Hydra's own parser.
    """
    axes: list[list[str]] = []
    for item in overrides:
        check_form(item)
        quoted = quote(item)
        try:
            parsed = parse(quoted)
        except Exception as error:  # whatever the parser raises is told in one line
            raise ConfigError(f"override {item}", expected="key=value", found=first_line(error)) from error
        if parsed.is_sweep_override():
            prefix = parsed.input_line.partition("=")[0] if parsed.input_line else parsed.key_or_group
            axes.append([f"{prefix}={value}" for value in parsed.sweep_string_iterator()])
        else:
            axes.append([item])
    return [tuple(point) for point in itertools.product(*axes)]


def axes(overrides: Sequence[str]) -> list[str]:
    """Keys that a grid varies."""
    return [item.partition("=")[0] for item in overrides if len(expand([item])) > 1]


@lru_cache(maxsize=1024)
def parse(override: str) -> Any:
    """An override as Hydra's parser reads it; remembered, because the points of a grid share most of theirs."""
    return _parser().parse_override(override)


@cache
def _parser() -> Any:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    return OverridesParser.create()


def literal(value: str) -> str:
    """A value in double quotes; quotes around it are taken off first."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def first_line(error: BaseException) -> str:
    """First line of an error's message, or its class."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
