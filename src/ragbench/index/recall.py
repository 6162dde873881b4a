"""How much of the truth an approximate index finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ragbench.core.workers import Floats
from ragbench.index.base import FoundList
from ragbench.index.vectors import unit_rows

DEPTHS = (10, 100)
"""Where recall is measured: what is read, and what fusion and reranking draw from."""
ENOUGH = 0.99
"""Recall below this is told with what to do: what is missed is no small noise under the figures of answers any more."""
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


def measured_recall(
    rows: Floats, search: Callable[[Floats, int], FoundList], depths: Sequence[int] = DEPTHS
) -> dict[str, float | None]:
    """Mean share of the true nearest that `search` finds, over the probes of the indexed rows, by `recall_at_<depth>`.

    In [0, 1]; None without rows. A chunk as near as the last true one counts as true, so equal vectors cost nothing.
    """
    if not len(rows):
        return recall_facts(None, depths)
    queries = probes(rows)
    shares: dict[int, list[float]] = {depth: [] for depth in depths}
    for start in range(0, len(queries), _BATCH):
        part = queries[start : start + _BATCH]
        truth = part @ rows.T
        for depth, found in shares.items():
            cut = min(depth, len(rows))
            floors = np.partition(truth, len(rows) - cut, axis=1)[:, len(rows) - cut]
            for query, scores, floor in zip(part, truth, floors):
                hits = np.unique(search(query, cut)[0][:cut])
                found.append(np.count_nonzero(scores[hits] >= floor - _TIE) / cut)
    return {f"recall_at_{depth}": float(np.mean(found)) for depth, found in shares.items()}


def recall_facts(recall: float | None, depths: Sequence[int] = DEPTHS) -> dict[str, float | None]:
    """The same recall at every depth, named as `measured_recall` names it."""
    return dict.fromkeys((f"recall_at_{depth}" for depth in depths), recall)


def too_low(facts: Mapping[str, Any], depths: Sequence[int] = DEPTHS) -> dict[int, float]:
    """The recalls among the facts of a build that are below `ENOUGH`, by depth; empty when all is well or unknown."""
    found = {depth: facts.get(f"recall_at_{depth}") for depth in depths}
    return {depth: recall for depth, recall in found.items() if recall is not None and recall < ENOUGH}


def low_recall(facts: Mapping[str, Any]) -> list[str]:
    """A line that warns of a build's low recall and says what to do; none when there is nothing to warn of."""
    low = ", ".join(f"recall@{depth} {recall:.3f}" for depth, recall in too_low(facts).items())
    advice = "raise its ef_search or ef_construction, or take index=exact"
    return [f"warning: the index misses near chunks ({low}, expected {ENOUGH} or more); {advice}"] if low else []
