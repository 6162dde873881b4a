"""First stage, MaxSim and shared words weighed by a small logistic model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.fingerprint import fingerprint
from ragbench.core.scale import logistic
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker.base import Reranker
from ragbench.reranker.fusion_features import features
from ragbench.reranker.fusion_model import FusionModel, load_model
from ragbench.reranker.maxsim import MaxSim, token_embedder
from ragbench.reranker.ordering import reordered


@dataclass(frozen=True, kw_only=True)
class LogisticFusionReranker(Reranker):
    """Sorts by the probability of a logistic model over the features of `ragbench.reranker.fusion_features`.

    `model` is `builtin` (`fusion_model.json`, whose `about` tells what it was fitted on) or the path of a JSON file
    with `bias` and `weights`.
    """

    VERSION: ClassVar[int] = 1

    model: str

    def identity(self) -> dict[str, Any]:
        """The numbers of the model, whatever its file is called. Raises DataError for a file that holds none."""
        found = load_model(self.model)
        return {"weights": fingerprint(found.bias, dict(found.weights))}

    @property
    def uses_embedder(self) -> bool:
        """Always: it compares the embedder's token vectors."""
        return True

    @property
    def uses_tokens(self) -> bool:
        """Always."""
        return True

    @contextmanager
    def open(self, tools: Tools) -> Iterator[LogisticFusionWorker]:
        """Read the model, take the pipeline's embedder. Raises DataError or ConfigError where either cannot be."""
        yield LogisticFusionWorker(load_model(self.model), token_embedder(tools.embedder, "logistic_fusion"))


class LogisticFusionWorker:
    """An open LogisticFusionReranker."""

    def __init__(self, model: FusionModel, embedder: TextEmbedder) -> None:
        self._model, self._maxsim, self._n_pairs = model, MaxSim(embedder), 0

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder by probability, in (0, 1); empty stays empty."""
        if not ranking:
            return ()
        self._n_pairs += len(ranking)
        texts = [chunks[hit.chunk].index_text for hit in ranking]
        seen = features(question, texts, [hit.score for hit in ranking], self._maxsim.scores(question, texts))
        return reordered(ranking, logistic(self._model.logits(seen)).tolist())

    def counts(self) -> dict[str, int]:
        """Pairs of question and chunk that were compared."""
        return {"pairs": self._n_pairs}
