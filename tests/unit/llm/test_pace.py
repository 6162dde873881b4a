"""Waiting as servers ask."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from ragbench.llm.pace import Pace, asked_wait, reset_seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers) == seconds


def test_retry_after_as_a_date() -> None:
    found = asked_wait({"retry-after": formatdate(time.time() + 30, usegmt=True)})
    assert found is not None and 20 < found <= 30
    assert asked_wait({"retry-after": formatdate(time.time() - 30, usegmt=True)}) == 0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("20ms", 0.02),
        ("1h2m3.5s", 3723.5),
        ("12", 12.0),
        ("", None),
        ("soon", None),
        (None, None),
    ],
)
def test_resets(value: str | None, seconds: float | None) -> None:
    assert reset_seconds(value) == seconds


def test_a_reset_may_be_a_time_of_day() -> None:
    found = reset_seconds(str(time.time() + 30))
    assert found is not None and 20 < found <= 30


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "5s"}, 5.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "2m"}, 30.0),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "5s"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0"}, 0.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "3"}, 3.0),
    ],
)
def test_nothing_left_holds_the_next_request(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], waited: float
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("ragbench.llm.pace.time.sleep", slept.append)
    pace = Pace()
    pace.heed(headers, 30.0)
    pace.wait()
    pace.wait()
    assert sum(slept) == pytest.approx(waited, abs=0.5)
