"""The sign-flip permutation test of paired differences: the same p for a seed on every machine and number of threads.

Under no difference the two runs' labels may be exchanged question by question, which turns the sign of a difference.
All sums are of whole numbers below 2^53, exact in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PERMUTATIONS = 9999
REFINED = 99_999
"""Patterns drawn anew where the first give at most one in a thousand: corrections ask for a small p with digits."""
_SMALL = 0.001
EVERY = 14
"""Up to so many differences that are not 0, all patterns of signs are counted and nothing is drawn."""
_BLOCK = 1 << 21
_SIGNS = 0x5167
"""Sets the stream of signs apart from those of the bootstrap."""
_REFINED = 0x5168
_BITS = 1 - 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
"""The eight signs of each byte [256, 8]."""


def smallest_p(moving: int) -> float:
    """The smallest p that so many differences other than 0 can have: all of one sign, 2 of 2^n patterns; 1 for none."""
    return 1.0 if moving < 1 else 2.0 ** max(1 - moving, -1000)


def sign_flip_of(values: Floats, seed: int) -> float:
    """Two-sided p of the sum of whole numbers `values` being 0; zeros do not matter, and all zeros give exactly 1.

    Exact up to `EVERY` values that are not 0; beyond, (hits + 1) / (patterns + 1) over random patterns, and so never 0.
    A pattern counts when its sum reaches the observed one but for what rounding to whole numbers can have cost (half
    for each value), so that ties, common where a measure has few values, always count. Sources: Fisher (1935), ch. 21;
    Phipson and Smyth (2010).
    """
    moving = values[values != 0]
    reach = abs(float(moving.sum())) - len(moving)
    if len(moving) == 0:
        return 1.0
    if len(moving) <= EVERY:
        return _of_all(moving, reach)
    p = _of_some(moving, reach, (seed, len(moving), _SIGNS), PERMUTATIONS)
    if p <= _SMALL:
        # A second, independent draw keeps the test at its level: P(first is small and second ≤ u) is at most u.
        p = _of_some(moving, reach, (seed, len(moving), _REFINED), REFINED)
    return p


def _of_all(moving: Floats, reach: float) -> float:
    """The first sign is held: a pattern and its opposite are equally far out."""
    sums = moving[:1]
    for value in moving[1:].tolist():
        sums = np.concatenate((sums + value, sums - value))
    return float((np.abs(sums) >= reach).mean())


def _of_some(moving: Floats, reach: float, stream: tuple[int, ...], patterns: int) -> float:
    """Signs are the bits of PCG64's raw stream; each byte looks its eight signed values' sum up."""
    n = len(moving)
    words = -(-n // 64)
    filled = np.zeros(words * 64)
    filled[:n] = moving
    tables = _BITS @ filled.reshape(-1, 8).T
    bits = np.random.PCG64(list(stream))
    step = max(1, _BLOCK // (words * 64))
    hits = 0
    for first in range(0, patterns, step):
        rows = min(step, patterns - first)
        raw = bits.random_raw(rows * words).astype("<u8").view(np.uint8).reshape(rows, words * 8)
        sums = np.zeros(rows)
        for byte in range(-(-n // 8)):
            sums += tables[:, byte][raw[:, byte]]
        hits += int((np.abs(sums) >= reach).sum())
    return (hits + 1) / (patterns + 1)
