"""The classic measures of ranked documents, for all queries of a run at once: equal to trec_eval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ragbench.measure.ranking.found import Floats, Found, Ints

Batch = Callable[[Found, int | None], Floats]


def ndcg(found: Found, k: int | None) -> Floats:
    """nDCG with linear gain. Source: trec_eval `ndcg`, `ndcg_cut_k`."""
    gained = _sums(found, found.query, found.gain / np.log2(found.rank + 1), found.rank, k)
    ideal = _sums(found, found.ideal_query, found.ideal_gain / np.log2(found.ideal_rank + 1), found.ideal_rank, k)
    return _ratio(gained, ideal)


def average_precision(found: Found, k: int | None) -> Floats:
    """Average precision over all that is relevant. Source: trec_eval `map`, `map_cut_k`."""
    return _ratio(_sums(found, found.query, found.nth / found.rank, found.rank, k), found.n_relevant)


def reciprocal_rank(found: Found, k: int | None) -> Floats:
    """1 ÷ rank of the first relevant document; none: 0. Source: trec_eval `recip_rank`."""
    first = found.nth == 1
    return _sums(found, found.query[first], 1.0 / found.rank[first], found.rank[first], k)


def recall(found: Found, k: int | None) -> Floats:
    """Relevant documents among the first k ÷ all relevant ones. Source: trec_eval `recall_k`."""
    return _ratio(_counts(found, k), found.n_relevant)


def precision(found: Found, k: int | None) -> Floats:
    """Relevant documents among the first k ÷ k, also where fewer came back. Source: trec_eval `P_k`."""
    return _counts(found, k) / float(k or 1)


def hit(found: Found, k: int | None) -> Floats:
    """1 where a relevant document is among the first k. Source: trec_eval `success_k`."""
    return (_counts(found, k) > 0).astype(np.float64)


def r_precision(found: Found, k: int | None) -> Floats:
    """Relevant documents among the first R ÷ R, R being all relevant ones. Source: trec_eval `Rprec`."""
    within = found.rank <= found.n_relevant[found.query]
    return _ratio(np.bincount(found.query[within], minlength=found.n), found.n_relevant)


def context_precision(found: Found, k: int | None) -> Floats:
    """Mean precision at the relevant ranks among the first k; none: 0. Source: RAGAS, context precision."""
    return _ratio(_sums(found, found.query, found.nth / found.rank, found.rank, k), _counts(found, k))


def _counts(found: Found, k: int | None) -> Floats:
    return _sums(found, found.query, np.ones(len(found.query)), found.rank, k)


def _sums(found: Found, query: Ints, values: Floats, rank: Ints, k: int | None) -> Floats:
    """Sum of the values by query, over ranks up to k."""
    if k is not None:
        within = rank <= k
        query, values = query[within], values[within]
    sums: Floats = np.bincount(query, weights=values, minlength=found.n).astype(np.float64, copy=False)
    return sums


def _ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """part ÷ whole, and 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
