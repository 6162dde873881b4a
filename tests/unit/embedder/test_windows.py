from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.embedder.windows import check_overflow, windows
from ragbench.errors import ConfigError


@pytest.mark.parametrize(
    ("length", "size", "expected"),
    [(0, 5, [(0, 0)]), (5, 5, [(0, 5)]), (6, 5, [(0, 3), (3, 6)]), (11, 5, [(0, 3), (3, 7), (7, 11)])],
)
def test_windows_are_even(length: int, size: int, expected: list[tuple[int, int]]) -> None:
    assert windows(length, size, "window_mean") == expected


@given(st.integers(0, 5000), st.integers(1, 600))
def test_windows_cover_everything_once_and_fit(length: int, size: int) -> None:
    spans = windows(length, size, "window_mean")
    assert [at for a, b in spans for at in range(a, b)] == list(range(length))
    lengths = [b - a for a, b in spans]
    assert max(lengths) <= size
    assert max(lengths) - min(lengths) <= 1
    assert len(spans) == max(1, -(-length // size))


def test_truncate_keeps_the_first_window() -> None:
    assert windows(11, 5, "truncate") == [(0, 5)]


def test_unknown_rule_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"embedder.overflow: expected window_mean or truncate, found 'cut'"):
        check_overflow("cut")
