"""Checks of fusion settings."""

from __future__ import annotations

from math import isfinite
from typing import Any

from ragbench.errors import ConfigError


def check_number(name: str, value: Any, low: float, high: float) -> None:
    """Raises ConfigError unless `value` is a number in [low, high]."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or not isfinite(value):
        span = f"a number of {low:g} or more" if high == float("inf") else f"a number from {low:g} to {high:g}"
        raise ConfigError(f"pipeline.retriever.{name}", expected=span, found=repr(value))


def check_rrf_k(value: Any) -> None:
    """Raises ConfigError unless `value` can be k of reciprocal rank fusion."""
    check_number("rrf_k", value, 0, float("inf"))
