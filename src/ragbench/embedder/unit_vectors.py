"""Normalising vectors, with faults named by their text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragbench.core.workers import Floats
from ragbench.errors import DataError

_SHOWN = 60


def unit_rows(rows: Floats, texts: Sequence[str]) -> Floats:
    """L2-normalised float32 rows [n, d]; `texts` are the texts they stand for.

    Raises DataError naming the first text whose vector is not finite or is zero.
    """
    norms = np.linalg.norm(rows.astype(np.float64), axis=1)
    wrong = np.flatnonzero(~np.isfinite(norms) | (norms == 0))
    if len(wrong):
        at = int(wrong[0])
        found = "a zero vector" if norms[at] == 0 else "NaN or infinity"
        raise DataError(
            f"embedding of text {at} of {len(texts)} ({shown(texts[at])})",
            expected="a finite vector that is not zero",
            found=found,
            hint="Check the model, or leave this text out.",
        )
    return np.asarray(rows / norms[:, None], dtype=np.float32)


def unit_tokens(states: Floats) -> Floats:
    """L2-normalised float32 rows of token states [n, d]; a zero row stays zero."""
    norms = np.linalg.norm(states, axis=1, keepdims=True)
    return np.asarray(states / np.where(norms == 0, 1, norms), dtype=np.float32)


def weighted_mean(rows: Floats, weights: Sequence[int]) -> Floats:
    """Mean of rows [n, d] weighted by token counts, [d]; weights of 0 count as 1."""
    if len(rows) == 1:
        return np.asarray(rows[0])
    return np.asarray(np.average(rows, axis=0, weights=np.maximum(weights, 1)), dtype=np.float32)


def shown(text: str) -> str:
    """A text short enough for a message."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
