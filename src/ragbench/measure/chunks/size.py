"""How many chunks there are and how large."""

from __future__ import annotations

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import VariantCase
from ragbench.stats.quantile import quantile

SHORT = 20
"""Characters below which a chunk says hardly anything by itself (methods.md §2, short chunks)."""

OVERLONG = "atomic"
"""Flag of a chunk that is longer than `chunk_size` because the unit it holds may not be cut."""

_EMPTY = "there are no chunks"


def size_mean(variant: VariantCase) -> Outcome:
    """Mean chunk length in characters of `text`; n/a without chunks."""
    sizes = variant.corpus.sizes
    return sum(sizes) / len(sizes) if sizes else not_applicable(_EMPTY)


def size_quantile(variant: VariantCase, q: float) -> Outcome:
    """Quantile of the chunk length in characters, 0 the shortest and 1 the longest; n/a without chunks."""
    value = quantile(variant.corpus.sizes, q)
    return value if value is not None else not_applicable(_EMPTY)


def share_short(variant: VariantCase) -> Outcome:
    """Chunks of fewer than 20 characters ÷ chunks, in [0, 1]; n/a without chunks."""
    sizes = variant.corpus.sizes
    return sum(size < SHORT for size in sizes) / len(sizes) if sizes else not_applicable(_EMPTY)


def share_over(variant: VariantCase) -> Outcome:
    """Chunks longer than `chunk_size`, as their splitter flagged them ÷ chunks, in [0, 1]; n/a without chunks."""
    chunks = variant.corpus.chunks
    return sum(OVERLONG in chunk.flags for chunk in chunks) / len(chunks) if chunks else not_applicable(_EMPTY)


def n_chunks(variant: VariantCase) -> Outcome:
    """Number of chunks."""
    return float(len(variant.corpus.chunks))


def index_overhead(variant: VariantCase) -> Outcome:
    """Characters indexed (`index_text`) ÷ characters of the documents; 1 without overlap or prefix; n/a without
    text."""
    source = sum(len(document.text) for document in variant.corpus.documents.values())
    indexed = sum(len(chunk.index_text) for chunk in variant.corpus.chunks)
    return indexed / source if source else not_applicable("the documents are empty")
