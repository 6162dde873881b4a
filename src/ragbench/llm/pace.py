"""Waiting as a server asks: Retry-After and the headers that tell what is left of a rate limit."""

from __future__ import annotations

import email.utils
import math
import re
import time
from collections.abc import Mapping
from threading import Lock

_LEFT = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_EPOCH = 1e9
"""A reset above this is a time of day in seconds since 1970, not a number of seconds."""


class Pace:
    """When the next request to one address may be sent; threads may share it."""

    def __init__(self) -> None:
        self._not_before = 0.0
        self._lock = Lock()

    def hold(self, seconds: float) -> None:
        """Nothing is sent within some seconds from now."""
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds until a request may be sent, 0 where it may."""
        return max(0.0, self._not_before - time.monotonic())

    def wait(self) -> None:
        """Sleep until a request may be sent."""
        until = self._not_before
        left = until - time.monotonic()
        if left > 0:
            time.sleep(left)
            with self._lock:
                if self._not_before == until:
                    self._not_before = 0.0

    def heed(self, headers: Mapping[str, str], longest: float) -> None:
        """Hold the next request where the headers say that nothing is left, for at most `longest` seconds."""
        for left, reset in _LEFT:
            if _number(headers.get(left)) == 0:
                self.hold(min(reset_seconds(headers.get(reset)) or 0.0, longest))


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that Retry-After asks for (a number or a date; `retry-after-ms` in milliseconds), None where it is absent
    or unreadable."""
    in_ms = _number(headers.get("retry-after-ms"))
    if in_ms is not None:
        return in_ms / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def reset_seconds(value: str | None) -> float | None:
    """Seconds of a reset header: `1s`, `6m0s`, `20ms`, a number of seconds, or a time since 1970; None for others."""
    number = _number(value)
    if number is not None:
        return max(0.0, number - time.time()) if number > _EPOCH else number
    text = (value or "").strip()
    if not text or _PART.sub("", text):
        return None
    return sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(text))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
