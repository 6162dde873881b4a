from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.store import Store
from ragbench.embedder.cached import CachedEmbedder
from ragbench.embedder.e5_small import E5Worker
from ragbench.embedder.windows import check_overflow, window_use, windows
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


class Characters:
    """Counts a character as a token; tells where they lie when asked to."""

    max_tokens = 4

    def __init__(self, tells: bool) -> None:
        if tells:
            self.token_offsets = lambda text: [(at, at + 1) for at in range(len(text))]

    def count_tokens(self, texts: list[str]) -> list[int]:
        return [len(text) for text in texts]


class Pairs(Characters):
    """Two tokens for the first character, one for each other."""

    def __init__(self) -> None:
        self.token_offsets = lambda text: [(0, 1), *((at, at + 1) for at in range(len(text)))]

    def count_tokens(self, texts: list[str]) -> list[int]:
        return [len(text) + 1 for text in texts]


@pytest.mark.parametrize("long", ["年假有十五天", "leaves", "年假 is五"], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize("tells", [True, False])
def test_what_lies_behind_the_first_window_is_counted_each_time(long: str, tells: bool) -> None:
    found = window_use(Characters(tells), [long, "abcd", "", long])
    assert found == {"max_tokens": 4, "texts": 4, "over": 2, "characters": 16, "beyond": 4}
    assert window_use(Characters(tells), []) == {"max_tokens": 4, "texts": 0, "over": 0, "characters": 0, "beyond": 0}


def test_the_first_window_ends_where_its_last_token_does() -> None:
    assert window_use(Pairs(), ["年假有十五天"])["beyond"] == 3


def test_of_the_offline_embedder(int8: E5Worker, tmp_path: Path) -> None:
    text = "未休完的年假可以结转。Leave carries over. " * 60
    cached = CachedEmbedder(int8, Store(tmp_path))
    found = window_use(cached, [text, "年假"])
    kept = text[: len(text) - found["beyond"]]
    assert found["over"] == 1 and found["max_tokens"] == int8.max_tokens
    assert abs(int8.count_tokens([kept])[0] - int8.max_tokens) <= 1
    assert found == window_use(int8, [text, "年假"])
