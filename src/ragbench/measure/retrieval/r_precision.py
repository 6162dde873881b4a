"""R-precision."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.measure.retrieval.recall import recall


def r_precision(gains: Sequence[float], n_relevant: int) -> float:
    """Share of the R relevant things that the first R ranks found, in [0, 1]; empty ranking: 0.

    At rank R precision and recall are one figure, so that no cut-off has to be chosen. With gains = groups newly
    satisfied at each rank R is all groups; with gains = 1 for each relevant document it is trec_eval's `Rprec`. Raises
    ValueError where nothing is relevant.
    """
    return recall(gains, n_relevant, n_relevant)
