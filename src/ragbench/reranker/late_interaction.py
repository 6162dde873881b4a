"""Late interaction: question and chunk meet token by token, without a model trained for ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from ragbench.core.scale import minmax
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker.base import Reranker
from ragbench.reranker.maxsim import MaxSim, token_embedder
from ragbench.reranker.ordering import reordered


@dataclass(frozen=True, kw_only=True)
class LateInteractionReranker(Reranker):
    """`mix`·MaxSim + (1 − `mix`)·first-stage score, both min–max scaled over the candidates of the question.

    MaxSim (`ragbench.reranker.maxsim`) is the mean over question tokens of the best cosine to a chunk token, over the
    embedder's token vectors of `index_text`. `mix` in [0, 1]: 0 keeps the first stage's order, 1 is MaxSim alone.
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
        yield LateInteractionWorker(self.mix, token_embedder(tools.embedder, "late_interaction"))


class LateInteractionWorker:
    """An open LateInteractionReranker."""

    def __init__(self, mix: float, embedder: TextEmbedder) -> None:
        self._mix, self._maxsim, self._n_pairs = mix, MaxSim(embedder), 0

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder by the mixed score, which lies in [0, 1]; empty stays empty."""
        if not ranking:
            return ()
        self._n_pairs += len(ranking)
        similarity = minmax(self._maxsim.scores(question, [chunks[hit.chunk].index_text for hit in ranking]))
        first = minmax([hit.score for hit in ranking])
        return reordered(ranking, (self._mix * similarity + (1 - self._mix) * first).tolist())

    def counts(self) -> dict[str, int]:
        """Pairs of question and chunk that were compared."""
        return {"pairs": self._n_pairs}
