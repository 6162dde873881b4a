"""Intervals of shares of yes and no."""

from __future__ import annotations

from math import sqrt

Z = 1.959963984540054
"""Of the normal distribution for 95 %."""


def wilson(successes: int, n: int, z: float = Z) -> tuple[float, float]:
    """Low and high of the score interval of `successes` of `n`, within [0, 1]; (0, 1) where n is 0.

    Raises ValueError for a count outside 0 … n. Source: Wilson (1927); Newcombe (1998), method 3.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"expected 0 to {n} successes, found {successes}")
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    return low, 1.0 if successes == n else min(1.0, middle + half)
