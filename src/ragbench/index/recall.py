"""How much of the truth an approximate index finds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ragbench.core.workers import Floats
from ragbench.index.base import FoundList
from ragbench.index.vectors import unit_rows

_QUERIES, _NOISE, _SEED, _BATCH = 200, 0.3, 20240, 50
# Scores this close are one place in the ranking: float32 sums of the two sides differ by about as much.
_TIE = 1e-5


def probes(rows: Floats) -> Floats:
    """Queries to measure with: up to 200 of the unit rows [n, dimension], and each again moved by noise of length 0.3.

    The same rows give the same probes.
    """
    rng = np.random.default_rng(_SEED)
    picked = rows[np.sort(rng.choice(len(rows), min(_QUERIES, len(rows)), replace=False))]
    moved = picked + _NOISE * unit_rows(rng.standard_normal(picked.shape))
    return np.concatenate([picked, unit_rows(moved)])


def measured_recall(rows: Floats, search: Callable[[Floats], FoundList], depth: int = 10) -> float | None:
    """Mean share of the true `depth` nearest that `search` finds, over the probes of the indexed rows.

    In [0, 1]; None without rows. A chunk as near as the last true one counts as true, so equal vectors cost nothing.
    """
    if not len(rows):
        return None
    depth = min(depth, len(rows))
    queries = probes(rows)
    shares = []
    for start in range(0, len(queries), _BATCH):
        truth = queries[start : start + _BATCH] @ rows.T
        floors = np.partition(truth, len(rows) - depth, axis=1)[:, len(rows) - depth]
        for query, scores, floor in zip(queries[start : start + _BATCH], truth, floors):
            found = np.unique(search(query)[0])[:depth]
            shares.append(np.count_nonzero(scores[found] >= floor - _TIE) / depth)
    return float(np.mean(shares))
