"""Overrides and grids of them, in Hydra's grammar."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any

from ragbench.errors import ConfigError

JUDGE_LLM = "judge_llm"
"""Chooses among the options of `llm`, for the judge alone."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_STEPS = re.compile(rf"({_NUMBER}):({_NUMBER}):({_NUMBER})")
_MOST = 1000
"""Values of one range; more are a slip of the step."""
_DIGITS = ".12g"
"""Hydra adds steps up in binary: 0.7000000000000001 would be another variant than 0.7."""


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
    """The grid of overrides with lists (`a=1,2`, `range(…)`, `choice(…)`) and ranges (`a=0:1:0.1`, both ends in), first
    key outermost.

    Read by Hydra's own parser, but for `from:to:step`, which its grammar does not have.
    """
    return [tuple(point) for point in itertools.product(*map(values_of, overrides))]


def axes(overrides: Sequence[str]) -> list[str]:
    """Keys that a grid varies."""
    return [key_of(item) for item in overrides if len(values_of(item)) > 1]


def key_of(override: str) -> str:
    """The key of an override, as it is typed."""
    return override.partition("=")[0]


def values_of(override: str) -> list[str]:
    """The overrides that one stands for, in order: itself, or one for each value of its list or range.

    Raises ConfigError for what is no override, and for Hydra's sweeps that are no list of values.
    """
    check_form(override)
    key, _, value = override.partition("=")
    if steps := _STEPS.fullmatch(value):
        return [f"{key}={one}" for one in _stepped(override, *map(Decimal, steps.groups()))]
    quoted = quote(override)
    try:
        parsed = parse(quoted)
    except Exception as error:  # whatever the parser raises is told in one line
        raise ConfigError(f"override {override}", expected="key=value", found=first_line(error)) from error
    if not parsed.is_sweep_override():
        return [override]
    if not parsed.is_discrete_sweep() or parsed.value_type.name.startswith("GLOB"):
        kind = "an interval, which has no steps" if parsed.is_interval_sweep() else "a pattern"
        hint = f"Write {key}=0:1:0.1, {key}=range(1,10) or {key}=a,b; ragbench ls shows the options of a slot."
        raise ConfigError(f"override {override}", expected="a list or a range of values", found=kind, hint=hint)
    prefix = key_of(parsed.input_line) if parsed.input_line else parsed.key_or_group
    found = list(itertools.islice(parsed.sweep_string_iterator(), _MOST + 1))
    _check_number(override, len(found))
    return [f"{prefix}={_short(value) if parsed.is_range_sweep() else value}" for value in found]


def _stepped(override: str, first: Decimal, last: Decimal, step: Decimal) -> list[str]:
    if step == 0 or (last - first) * step < 0:
        found = f"a step of {step} from {first} to {last}"
        raise ConfigError(f"override {override}", expected="FROM:TO:STEP that comes to its end", found=found)
    n = int((last - first) / step) + 1
    _check_number(override, n)
    return [str(first + at * step) for at in range(n)]


def _check_number(override: str, n: int) -> None:
    if n > _MOST:
        raise ConfigError(
            f"override {override}", expected=f"at most {_MOST} values", found="more", hint="Check the step."
        )


def _short(value: str) -> str:
    """A number of a range without the noise of binary sums; whole numbers stay as they are."""
    return repr(float(format(float(value), _DIGITS))) if "." in value or "e" in value else value


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
