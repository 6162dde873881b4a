"""Question and chunk compared token by token (late interaction)."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from ragbench.core.workers import Floats, TextEmbedder
from ragbench.errors import ConfigError
from ragbench.reranker.token_memory import TokenMemory


def maxsim(query: Floats, passage: Floats) -> float | None:
    """Mean over rows of `query` [m, d] of the largest dot product with a row of `passage` [n, d].

    ColBERT's sum (Khattab and Zaharia 2020, arXiv:2004.12832) divided by the number of question tokens. In [-1, 1] for
    normalised rows; None where either has no rows.
    """
    if not len(query) or not len(passage):
        return None
    return float((query @ passage.T).max(axis=1).mean(dtype="float64"))


class MaxSim:
    """MaxSim over an embedder's token vectors; special and prefix tokens are left out."""

    def __init__(self, embedder: TextEmbedder) -> None:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

        self._tokens = TokenMemory(embedder)
        self._blas, self._blas_lock = ThreadpoolController(), Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The score of each text. One without tokens counts as the worst of the others, so that it does not stretch
        their scale; all 0 where the question has none."""
        query = self._tokens.query(question)
        passages = self._tokens.passages(texts)
        # On a busy machine the threads of a small product wait for each other far longer than they work. The limit is
        # the process's, so two calls must not interleave in setting it and putting it back.
        with self._blas_lock, self._blas.limit(limits=1):
            found = [maxsim(query, passage) for passage in passages]
        worst = min((value for value in found if value is not None), default=0.0)
        return [worst if value is None else value for value in found]


def token_embedder(embedder: TextEmbedder | None, reranker: str) -> TextEmbedder:
    """The embedder; raises ConfigError where the pipeline has none or it gives no token vectors."""
    if embedder is None:
        raise ConfigError(
            f"reranker {reranker}",
            expected="a pipeline with an embedder",
            found="none",
            hint="Choose an embedder, or reranker=none.",
        )
    embedder.token_vectors([], "query")
    return embedder
