"""Texts longer than a model's window."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ragbench.core.workers import TextEmbedder
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


def window_use(embedder: TextEmbedder, texts: Sequence[str]) -> dict[str, int]:
    """How texts fit an embedder's window: `max_tokens`, `texts`, `over` (texts that are longer), `characters`, and
    `beyond` (characters behind the first window, over all texts); equal texts count each time. No texts: zeros.

    Where the first window ends is exact for an embedder that tells where its tokens lie (`token_offsets`), in
    proportion to the tokens for others.
    """
    distinct = list(dict.fromkeys(texts))
    counts = dict(zip(distinct, embedder.count_tokens(distinct)))
    limit = embedder.max_tokens
    lost = {text: len(text) - _first_window(embedder, text, count) for text, count in counts.items() if count > limit}
    return {
        "max_tokens": limit,
        "texts": len(texts),
        "over": sum(text in lost for text in texts),
        "characters": sum(map(len, texts)),
        "beyond": sum(lost.get(text, 0) for text in texts),
    }


def _first_window(embedder: TextEmbedder, text: str, count: int) -> int:
    """Characters of a text of `count` tokens that its first window of `max_tokens` holds."""
    offsets = getattr(embedder, "token_offsets", None)
    if offsets is None:
        return len(text) * embedder.max_tokens // count
    return int(offsets(text)[embedder.max_tokens][0])
