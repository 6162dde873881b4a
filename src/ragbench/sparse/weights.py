"""BM25 weights of all terms of all texts at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Postings = dict[str, Any]
"""What bm25s calls `scores`: `data`, `indices` (texts, ascending a term), `indptr` (by term), `num_docs`."""


def lucene(df: Numbers, n: int) -> Numbers:
    """ln(1 + (n − df + 0.5) / (df + 0.5)): above 0 for every term."""
    return np.log1p((n - df + 0.5) / (df + 0.5))


def robertson(df: Numbers, n: int) -> Numbers:
    """ln((n − df + 0.5) / (df + 0.5)), at least 0: terms in half of the texts or more count nothing."""
    return np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1.0))


def atire(df: Numbers, n: int) -> Numbers:
    """ln(n / df): a term in every text counts nothing."""
    return np.log(n / df)


IDF: dict[str, Callable[[Numbers, int], Numbers]] = {"lucene": lucene, "robertson": robertson, "atire": atire}


def bm25_postings(
    terms: NDArray[np.int64], lengths: NDArray[np.int64], *, k1: float, b: float, method: str
) -> Postings:
    """Weights idf(t) · f·(k1+1) / (f + k1·(1 − b + b·|d|/avgdl)) by term, then text.

    `terms` holds the term numbers of all texts one after the other, without gaps from 0; `lengths` [n] says how many
    belong to each text; there is at least one term. Source: Kamphuis et al., "Which BM25 Do You Mean?" (2020), ATIRE's
    term frequency part. The same numbers as bm25s with `method="atire"`, without its loop over texts.
    """
    n = len(lengths)
    texts = np.repeat(np.arange(n), lengths)
    # Half as wide they are sorted in half the time.
    narrow = np.int32 if (int(terms.max()) + 1) * n <= np.iinfo(np.int32).max else np.int64
    pairs, counts = np.unique((terms * n + texts).astype(narrow), return_counts=True)
    term, text = np.divmod(pairs, n)
    df = np.bincount(term)
    f = counts.astype(np.float64)
    saturated = f * (k1 + 1) / (f + k1 * (1 - b + b * lengths[text] / lengths.mean()))
    weights = IDF[method](df.astype(np.float64), n)[term] * saturated
    return {
        "data": weights.astype(np.float32),
        "indices": text.astype(np.int32),
        "indptr": np.concatenate([[0], np.cumsum(df)]),
        "num_docs": n,
    }
