"""Texts longer than a model's window."""

from __future__ import annotations

from itertools import pairwise

from ragbench.errors import ConfigError

OVERFLOWS = ("window_mean", "truncate")


def check_overflow(overflow: str, slot: str = "pipeline.embedder") -> None:
    """Raise ConfigError for an unknown overflow rule."""
    if overflow not in OVERFLOWS:
        raise ConfigError(f"{slot}.overflow", expected=" or ".join(OVERFLOWS), found=repr(overflow))


def windows(length: int, size: int, overflow: str) -> list[tuple[int, int]]:
    """Half-open intervals over `length` units, none longer than `size`.

    `window_mean`: the fewest windows that cover everything, side by side, equal in length within one (a last
    window of a few tokens would be a text without its context). `truncate`: the first window alone. Length 0: one
    empty window.
    """
    if length <= size:
        return [(0, length)]
    if overflow == "truncate":
        return [(0, size)]
    count = -(-length // size)
    edges = [length * number // count for number in range(count + 1)]
    return list(pairwise(edges))
