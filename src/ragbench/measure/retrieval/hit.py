"""Hit rate at k."""

from __future__ import annotations

from collections.abc import Sequence


def hit(gains: Sequence[float], k: int) -> float:
    """1 when any of the first k ranks earned something, else 0; empty ranking: 0. Source: trec_eval `success_k`."""
    return 1.0 if any(gain > 0 for gain in gains[:k]) else 0.0
