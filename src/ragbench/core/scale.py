"""Bringing scores of different origin to one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def minmax(values: Sequence[float] | NDArray[np.floating]) -> NDArray[np.float64]:
    """`(v - min) / (max - min)`: float64 in [0, 1], same length and order, the worst 0 and the best 1.

    All equal (a single value too) gives 1.0 for each, so that a lone hit counts as a hit; empty gives empty.
    Raises ValueError for a value that is not finite: it would silently move all others.
    """
    array: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        return array
    if not np.isfinite(array).all():
        raise ValueError("min-max scaling needs finite scores")
    low, high = array.min(), array.max()
    if high == low:
        return np.ones(array.shape)
    # Halved first: the distance of two huge scores of opposite sign may exceed the largest float.
    spread = high / 2 - low / 2
    if spread == 0:  # two neighbours among the smallest floats
        return np.where(array == high, 1.0, 0.0)
    scaled: NDArray[np.float64] = (array / 2 - low / 2) / spread
    return scaled


def logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`1 / (1 + exp(-v))`, in (0, 1), same shape; below −60 and above 60 as at those."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -60, 60))), dtype=np.float64)
