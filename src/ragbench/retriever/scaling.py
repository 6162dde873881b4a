"""Scales that scores of different routes are brought to before they are added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragbench.core.scale import minmax

Numbers = NDArray[np.float64]


class Scaled(NamedTuple):
    """The scores of one list on another scale, in their order, and `missing`, what a chunk counts that it lacks."""

    scores: Numbers
    missing: float


def min_max(scores: Numbers) -> Scaled:
    """(s − min) / (max − min), in [0, 1]; a chunk that the list lacks counts 0. A list without spread: see `SCALES`."""
    return Scaled(minmax(scores), 0.0)


def z_score(scores: Numbers) -> Scaled:
    """(s − mean) / standard deviation (of the list as a whole, not of a sample): mean 0, variance 1.

    A chunk that the list lacks counts as the list's lowest: how far below the cut it lies is not known. A list without
    spread: see `SCALES`. Source: Lee, SIGIR 1997 (score normalisation); Montague and Aslam, CIKM 2001 (z-scores).
    """
    if not len(scores) or scores.min() == scores.max():
        return min_max(scores)
    unit = scores - scores.mean()
    unit = unit / np.abs(unit).max()  # squares of tiny distances would vanish
    scaled: Numbers = unit / np.sqrt(np.square(unit).mean())
    return Scaled(scaled, float(scaled.min()))


SCALES: Mapping[str, Callable[[Numbers], Scaled]] = {"minmax": min_max, "zscore": z_score}
"""By name. In each of them a list without spread – one candidate, or equal scores – says only what was found: 1 for its
chunks and 0 for the others. An empty list says nothing: 0 for all."""
