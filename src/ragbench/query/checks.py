"""Checks of settings of query stages."""

from __future__ import annotations

from math import isfinite
from typing import Any

from ragbench.errors import ConfigError
from ragbench.records.search import Join

JOINS: dict[str, Join] = {"rrf": "rrf", "sum": "sum"}
"""What the lists of differently weighted forms may be joined by."""


def check_count(name: str, value: Any, low: int, high: int) -> None:
    """Raises ConfigError unless `value` is a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"pipeline.query.{name}", expected=f"a whole number from {low} to {high}", found=repr(value))


def check_join(value: Any) -> None:
    """Raises ConfigError unless `value` is one of JOINS."""
    if value not in JOINS:
        raise ConfigError("pipeline.query.join", expected=" or ".join(JOINS), found=repr(value))


def check_weight(name: str, value: Any) -> None:
    """Raises ConfigError unless `value` is a finite number of 0 or more."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not number or value < 0:
        raise ConfigError(f"pipeline.query.{name}", expected="a number of 0 or more", found=repr(value))
