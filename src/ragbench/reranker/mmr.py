"""Maximal marginal relevance: what is relevant and not said already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ragbench.core.scale import minmax
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked, Ranking
from ragbench.reranker.base import Reranker

_CANDIDATES_A_PLACE = 3
Numbers = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MmrReranker(Reranker):
    """Picks one chunk after the other: the next is the one with the highest λ·relevance − (1 − λ)·(its largest cosine
    to a chunk picked before), where the first has nothing before it.

    Relevance is the score of the first stage, min–max scaled over the candidates; cosines are those of the embedder's
    vectors of the chunks, which the store has wherever the dense route searches. Equal values keep the order of the
    first stage. All candidates are put in order, so that the ranking has no gap; the score is the value at the pick,
    never above the one before it. Source: Carbonell and Goldstein, SIGIR 1998.

    Args:
        relevance_weight: λ, 0 to 1; 1 is the order of the first stage.
        fetch_k: candidates, from the top of what comes to the reranker (at most `recall_k`); the others stay behind
            them in their order. None: three times `k`.
        k: chunks that go on to the packer; read only where `fetch_k` is None.
    """

    relevance_weight: float
    fetch_k: int | None
    k: int | None

    def __post_init__(self) -> None:
        weight = self.relevance_weight
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
            raise ConfigError("pipeline.reranker.relevance_weight", expected="a number from 0 to 1", found=repr(weight))
        name = "k" if self.fetch_k is None else "fetch_k"
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ConfigError(f"pipeline.reranker.{name}", expected="a whole number of at least 1", found=repr(value))

    @property
    def uses_embedder(self) -> bool:
        """Always: it compares the embedder's vectors of the chunks."""
        return True

    def idle_fields(self) -> dict[str, str]:
        """`k` beside a `fetch_k`."""
        return {} if self.fetch_k is None else {"k": f"fetch_k={self.fetch_k}"}

    def resolved(self) -> Self:
        """The same reranker with its number of candidates."""
        return replace(self, fetch_k=self._candidates, k=None)

    @property
    def _candidates(self) -> int:
        return _CANDIDATES_A_PLACE * (self.k or 0) if self.fetch_k is None else self.fetch_k

    @contextmanager
    def open(self, tools: Tools) -> Iterator[MmrWorker]:
        """Take the pipeline's embedder. Raises ConfigError where there is none."""
        if tools.embedder is None:
            raise ConfigError(
                "reranker mmr", expected="a pipeline with an embedder", found="none", hint="Choose an embedder."
            )
        yield MmrWorker(float(self.relevance_weight), self._candidates, tools.embedder)


class MmrWorker:
    """An open MmrReranker."""

    def __init__(self, relevance_weight: float, candidates: int, embedder: TextEmbedder) -> None:
        self._weight, self._candidates, self._embedder = relevance_weight, candidates, embedder

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """See `OpenReranker.rerank`; the question itself is not read, its relevance is the ranking's score."""
        head, rest = ranking[: self._candidates], ranking[self._candidates :]
        if not head:
            return ()
        vectors = self._embedder.embed_documents([chunks[hit.chunk].index_text for hit in head])
        order, values = picked(minmax([hit.score for hit in head]), vectors, self._weight)
        behind = [values[-1] - number for number in range(1, len(rest) + 1)]
        hits = [*(head[place] for place in order), *rest]
        return tuple(
            Ranked(hit.chunk, score, rank, hit.rank)
            for rank, (hit, score) in enumerate(zip(hits, [*values, *behind]), 1)
        )

    def counts(self) -> dict[str, int]:
        """Nothing: it reads no text."""
        return {}


def picked(relevance: Numbers, vectors: NDArray[Any], weight: float) -> tuple[list[int], list[float]]:
    """The places of all n candidates in the order they are picked, and the falling values of their picks.

    `relevance` [n] in [0, 1], `vectors` [n, dimension] of length 1. Ties go to the lower place. O(n² · dimension).
    """
    rows = np.asarray(vectors, np.float64)
    gain = weight * np.asarray(relevance, np.float64)
    open_places = np.ones(len(gain), np.bool_)
    closest = np.zeros(len(gain))
    order: list[int] = []
    values: list[float] = []
    for _ in range(len(gain)):
        value = np.where(open_places, gain - (1 - weight) * closest, -inf)
        place = int(np.argmax(value))
        # Not a matrix product: BLAS sums by its number of threads, and equal chunks would get unequal cosines.
        cosines = np.einsum("ij,j->i", rows, rows[place])
        closest = np.maximum(closest, cosines) if order else cosines
        order.append(place)
        values.append(min([float(value[place]), *values[-1:]]))
        open_places[place] = False
    return order, values
