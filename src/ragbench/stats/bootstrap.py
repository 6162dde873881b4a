"""Percentile bootstrap of means, resampling subjects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragbench.core.recent import Recent

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RESAMPLES = 2000
LEVEL = 0.95
_BLOCK = 1 << 21
"""Counts held at once, so that memory does not grow with the number of subjects."""
_CACHED = 1 << 16
"""Draws made at once: they fit a processor's cache."""
_DRAWN: Recent[list[NDArray[np.uint8]]] = Recent(1 << 25)
"""Draws by their arguments: runs of one eval set ask for the same ones. Up to 32 MB of one-byte counts."""
_BYTE = 255
_ONE_THREAD = 1 << 18
"""Multiplications of one matrix product below which OpenBLAS starts no threads."""
_SMALLEST_PIECE = 8
"""Rows below which cutting a product up costs more than threads do."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals of several means, one a column. NaN where nothing was scored.

    `degenerate` marks columns with a single scored subject: their interval has no width and says nothing.
    """

    mean: Floats
    low: Floats
    high: Floats
    degenerate: Bools


def resample_counts(n: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each of n subjects is drawn in each resample: blocks of rows, `resamples` rows of n in all, each
    summing to n.

    Made from the raw 64-bit stream of PCG64, whose values are fixed for a seed on every machine and numpy release
    (numpy's own `integers` may change between releases). Raises ValueError for n < 1.
    """
    if n < 1:
        raise ValueError("there is nothing to resample")
    key = (n, resamples, seed, _BLOCK)
    known = _DRAWN.get(key)
    if known is not None:
        yield from (block.astype(np.float64) for block in known)
        return
    kept: list[NDArray[np.uint8]] = []
    for block in _drawn(n, resamples, seed):
        if n * resamples <= _DRAWN.limit and block.max() <= _BYTE:
            kept.append(block.astype(np.uint8))
        yield block
    if sum(map(len, kept)) == resamples:
        _DRAWN.put(key, kept, n * resamples)


def _drawn(n: int, resamples: int, seed: int) -> Iterator[Floats]:
    bits = np.random.PCG64([seed, n])
    step = max(1, _BLOCK // n)
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        block = np.empty((rows, n))
        some = max(1, _CACHED // n)
        for at in range(0, rows, some):
            block[at : at + some] = _counts(bits, min(some, rows - at), n)
        yield block


def _counts(bits: np.random.PCG64, rows: int, n: int) -> NDArray[np.int64]:
    drawn = bits.random_raw(rows * n)
    half = np.uint64(32)
    drawn >>= half
    drawn *= np.uint64(n)
    drawn >>= half
    places = drawn.view(np.int64).reshape(rows, n)
    places += (np.arange(rows) * n)[:, None]
    return np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n)


def mean_intervals(
    values: Floats, scored: Bools, seed: int, *, resamples: int = RESAMPLES, level: float = LEVEL
) -> Intervals:
    """Means over the scored subjects of each column with percentile bootstrap intervals.

    `values` and `scored` are [subjects, columns]; values that are not scored are ignored. All columns share one matrix
    of resample counts that depends on `seed` and the number of subjects alone, so that a column's interval does not
    depend on which other columns are there. A resample that draws no scored subject of a column is left out of it.
    Source: Efron and Tibshirani (1993), ch. 13; the mean of a resample is that of its scored subjects.
    """
    n, columns = values.shape
    nothing = np.full(columns, np.nan)
    if n == 0 or columns == 0:
        return Intervals(nothing, nothing, nothing, np.zeros(columns, dtype=bool))
    filled = np.where(scored, values, 0.0)
    n_scored = scored.sum(axis=0)
    masks, which = _distinct_columns(scored)
    both = np.hstack([filled, masks])
    sums = np.concatenate([product(counts, both) for counts in resample_counts(n, resamples, seed)])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=0) / n_scored
        means = np.ascontiguousarray((sums[:, :columns] / sums[:, columns:][:, which]).T)
    low, high = _percentiles(means, level)
    one = n_scored == 1
    low, high = np.where(one, mean, low), np.where(one, mean, high)
    # Matrix products differ in the last bits between machines.
    return Intervals(mean, np.round(low, 12), np.round(high, 12), one)


def mean_interval(values: Floats, seed: int) -> tuple[float | None, float | None, float | None]:
    """Mean, low and high of one list of scored values; None three times for an empty one."""
    column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    if len(column) == 0:
        return None, None, None
    found = mean_intervals(column, np.ones(column.shape, dtype=bool), seed)
    return float(found.mean[0]), float(found.low[0]), float(found.high[0])


def _distinct_columns(scored: Bools) -> tuple[Floats, NDArray[np.int64]]:
    """The different columns of a mask as 0 and 1, and for each column which of them it is: most measures share one."""
    seen: dict[bytes, int] = {}
    first: list[int] = []
    which: list[int] = []
    for at, packed in enumerate(np.ascontiguousarray(np.packbits(scored, axis=0).T)):
        key = packed.tobytes()
        if key not in seen:
            seen[key] = len(first)
            first.append(at)
        which.append(seen[key])
    return scored[:, first].astype(np.float64), np.array(which, dtype=np.int64)


def product(counts: Floats, columns: Floats) -> Floats:
    """`counts @ columns` in pieces small enough that the matrix library stays on one thread.

    Threads that wait for each other cost more than they save on a busy machine.
    """
    rows, n = counts.shape
    limit = _ONE_THREAD // (n * columns.shape[1])
    if limit < _SMALLEST_PIECE:
        large: Floats = counts @ columns
        return large
    piece = max(size for size in range(1, min(limit, rows) + 1) if rows % size == 0)
    product: Floats = np.matmul(counts.reshape(-1, piece, n), columns).reshape(rows, columns.shape[1])
    return product


def _percentiles(means: Floats, level: float) -> tuple[Floats, Floats]:
    """Lower and upper percentile of each row [columns, resamples] by linear interpolation, NaN left out."""
    tail = (1 - level) / 2
    valid = means.shape[1] - np.isnan(means).sum(axis=1)
    result = np.full((2, len(means)), np.nan)
    for size in np.unique(valid[valid > 0]).tolist():
        rows = np.flatnonzero(valid == size)
        positions = [tail * (size - 1), (1 - tail) * (size - 1)]
        ordered = np.sort(means[rows], axis=1)
        for side, at in enumerate(positions):
            edge = int(at)
            below, above = ordered[:, edge], ordered[:, min(edge + 1, size - 1)]
            result[side, rows] = below + (above - below) * (at - edge)
    return result[0], result[1]
