"""Average precision."""

from __future__ import annotations

from collections.abc import Sequence


def average_precision(gains: Sequence[int], n_relevant: int) -> float:
    """Sum over found things of (found so far ÷ rank), divided by all relevant things: in [0, 1]; empty ranking: 0.

    `gains[i]` things are found at rank i + 1. Where one rank finds several (a large chunk with two groups) they are
    taken one after the other and "found so far ÷ rank" stays at most 1, so that no chunking exceeds a perfect list
    of one
    group a rank. Relevant at ranks 1 and 3 of 2 gives 0.8333; 1 hit at rank 1 of 5 relevant gives 0.2. The mean over
    questions is MAP. Source: trec_eval `map`. Raises ValueError where nothing is relevant.
    """
    if n_relevant < 1:
        raise ValueError("average precision of a question without evidence")
    found, total = 0, 0.0
    for rank, gain in enumerate(gains, 1):
        for _ in range(gain):
            found += 1
            total += min(1.0, found / rank)
    return total / n_relevant
