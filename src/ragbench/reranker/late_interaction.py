"""Late interaction: question and chunk meet token by token, without a model trained for ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from ragbench.core.scale import minmax
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker.base import Reranker
from ragbench.reranker.maxsim import MaxSim, token_embedder
from ragbench.reranker.ordering import reordered, with_scores
from ragbench.reranker.threshold import platt


@dataclass(frozen=True, kw_only=True)
class LateInteractionReranker(Reranker):
    """`mix`·MaxSim + (1 − `mix`)·first-stage score, both min–max scaled over the candidates of the question.

    MaxSim (`ragbench.reranker.maxsim`) is the mean over question tokens of the best cosine to a chunk token, over the
    embedder's token vectors of `index_text`. `mix` in [0, 1]: 0 keeps the first stage's order, 1 is MaxSim alone, which
    is not scaled then: a score in [-1, 1] that means the same for every question. `calibration` `{a, b}` makes
    probabilities of that (`ragbench.reranker.threshold.Platt`); with a smaller `mix` it is refused.
    """

    VERSION: ClassVar[int] = 2

    mix: float
    calibration: Mapping[str, float] | None = field(hash=False)

    def __post_init__(self) -> None:
        platt(self.calibration)
        if not 0 <= self.mix <= 1:
            raise ConfigError("pipeline.reranker.mix", expected="a number from 0 to 1", found=str(self.mix))
        if self.calibration is not None and self.mix != 1:
            raise ConfigError(
                "pipeline.reranker.calibration",
                expected="pipeline.reranker.mix=1 with it: other scores are relative to the candidates of a question",
                found=f"{self.mix:g}",
                hint="Set pipeline.reranker.mix=1, or leave pipeline.reranker.calibration=null.",
            )

    @property
    def calibrated(self) -> bool:
        """With a `calibration`."""
        return self.calibration is not None

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
        yield LateInteractionWorker(self, token_embedder(tools.embedder, "late_interaction"))


class LateInteractionWorker:
    """An open LateInteractionReranker."""

    def __init__(self, stage: LateInteractionReranker, embedder: TextEmbedder) -> None:
        self._mix, self._platt = stage.mix, platt(stage.calibration)
        self._maxsim, self._n_pairs = MaxSim(embedder), 0

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder by the mixed score, which lies in [0, 1], or by MaxSim or its probability; empty stays empty."""
        if not ranking:
            return ()
        self._n_pairs += len(ranking)
        alone = self._maxsim.scores(question, [chunks[hit.chunk].index_text for hit in ranking])
        if self._mix == 1:
            new = reordered(ranking, alone)
            return with_scores(new, [self._platt.probability(hit.score) for hit in new]) if self._platt else new
        similarity = minmax(alone)
        first = minmax([hit.score for hit in ranking])
        return reordered(ranking, (self._mix * similarity + (1 - self._mix) * first).tolist())

    def counts(self) -> dict[str, int]:
        """Pairs of question and chunk that were compared."""
        return {"pairs": self._n_pairs}
