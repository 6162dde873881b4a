"""Late interaction: question and chunk meet token by token, without a model trained for ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

import numpy as np

from ragbench.core.scale import minmax
from ragbench.core.workers import Floats, TextEmbedder, Tools
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker.base import Reranker
from ragbench.reranker.ordering import reordered


@dataclass(frozen=True, kw_only=True)
class LateInteractionReranker(Reranker):
    """`mix`·MaxSim + (1 − `mix`)·first-stage score, both min–max scaled over the candidates of the question.

    MaxSim is the mean over question tokens of the best cosine to a chunk token (ColBERT's sum, Khattab & Zaharia 2020,
    arXiv:2004.12832, divided by the number of question tokens), over the embedder's token vectors of `index_text`;
    special and prefix tokens are left out. `mix` in [0, 1]: 0 keeps the first stage's order, 1 is MaxSim alone.
    """

    VERSION: ClassVar[int] = 1

    mix: float

    def __post_init__(self) -> None:
        if not 0 <= self.mix <= 1:
            raise ConfigError("pipeline.reranker.mix", expected="a number from 0 to 1", found=str(self.mix))

    @property
    def uses_embedder(self) -> bool:
        """Always: it compares the embedder's token vectors."""
        return True

    @property
    def uses_tokens(self) -> bool:
        """Always."""
        return True

    @contextmanager
    def open(self, tools: Tools) -> Iterator[LateInteractionWorker]:
        """Take the pipeline's embedder. Raises ConfigError where there is none or it gives no token vectors."""
        if tools.embedder is None:
            raise ConfigError(
                "reranker late_interaction",
                expected="a pipeline with an embedder",
                found="none",
                hint="Choose an embedder, or reranker=none.",
            )
        tools.embedder.token_vectors([], "query")
        yield LateInteractionWorker(self.mix, tools.embedder)


class LateInteractionWorker:
    """An open LateInteractionReranker."""

    def __init__(self, mix: float, embedder: TextEmbedder) -> None:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

        self._mix, self._embedder = mix, embedder
        self._blas, self._blas_lock = ThreadpoolController(), Lock()

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder by the mixed score, which lies in [0, 1]; empty stays empty."""
        if not ranking:
            return ()
        (query,) = self._embedder.token_vectors([question], "query")
        passages = self._embedder.token_vectors([chunks[hit.chunk].index_text for hit in ranking], "passage")
        # On a busy machine the threads of a small product wait for each other far longer than they work. The limit is
        # the process's, so two calls must not interleave in setting it and putting it back.
        with self._blas_lock, self._blas.limit(limits=1):
            found = [maxsim(query, passage) for passage in passages]
        similarity = minmax(_filled(found))
        first = minmax([hit.score for hit in ranking])
        return reordered(ranking, (self._mix * similarity + (1 - self._mix) * first).tolist())


def maxsim(query: Floats, passage: Floats) -> float | None:
    """Mean over rows of `query` [m, d] of the largest dot product with a row of `passage` [n, d].

    In [-1, 1] for normalised rows; None where either has no rows.
    """
    if not len(query) or not len(passage):
        return None
    return float((query @ passage.T).max(axis=1).mean(dtype=np.float64))


def _filled(values: Sequence[float | None]) -> list[float]:
    """A passage without tokens counts as the worst there is; it must not stretch the scale of the others."""
    worst = min((value for value in values if value is not None), default=0.0)
    return [worst if value is None else value for value in values]
