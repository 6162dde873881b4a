"""How many chunks there are and how large."""

from __future__ import annotations

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import VariantCase
from ragbench.stats.quantile import quantile

_EMPTY = "there are no chunks"


def size_mean(variant: VariantCase) -> Outcome:
    """Mean chunk length in characters of `text`; n/a without chunks."""
    sizes = _sizes(variant)
    return sum(sizes) / len(sizes) if sizes else not_applicable(_EMPTY)


def size_quantile(variant: VariantCase, q: float) -> Outcome:
    """Quantile of the chunk length in characters; n/a without chunks."""
    value = quantile(_sizes(variant), q)
    return value if value is not None else not_applicable(_EMPTY)


def n_chunks(variant: VariantCase) -> Outcome:
    """Number of chunks."""
    return float(len(variant.corpus.chunks))


def index_overhead(variant: VariantCase) -> Outcome:
    """Characters indexed (`index_text`) ÷ characters of the documents; 1 without overlap or prefix; n/a without
    text."""
    source = sum(len(document.text) for document in variant.corpus.documents.values())
    indexed = sum(len(chunk.index_text) for chunk in variant.corpus.chunks)
    return indexed / source if source else not_applicable("the documents are empty")


def _sizes(variant: VariantCase) -> list[int]:
    return [len(chunk.text) for chunk in variant.corpus.chunks]
