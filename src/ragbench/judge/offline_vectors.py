"""The offline judge with token vectors beside the words: it knows other words for the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.fingerprint import fingerprint
from ragbench.core.workers import Tools
from ragbench.judge.answer_support import SUPPORT
from ragbench.judge.base import Judge, OpenJudge
from ragbench.judge.likeness import ClaimLikeness, claim_embedder
from ragbench.judge.offline import Judging
from ragbench.judge.relevancy import relevancy_model
from ragbench.judge.support import SupportModel


@dataclass(frozen=True, kw_only=True)
class OfflineVectorsJudge(Judge):
    """Claims by the exact checks of the offline judge and by how like the context their other words are.

    It takes the vectors of `e5_small`, whatever embedder the variant has. By its card it is below the floor, and on
    people's labels no better than the offline judge (`docs/judge.md`): nothing may rest on it.
    """

    VERSION: ClassVar[int] = 1
    NAME: ClassVar[str] = "offline-5"

    @property
    def uses_embedder(self) -> bool:
        """It does."""
        return True

    @property
    def further_measures(self) -> tuple[str, ...]:
        """The support score of the whole answer."""
        return (SUPPORT,)

    def identity(self) -> dict[str, Any]:
        """Hash of the shipped weights."""
        model = SupportModel.load(True)
        answer = (model.answer.bias, dict(model.answer.weights))
        weights = (model.bias, dict(model.weights), model.threshold, answer)
        return {"models": fingerprint(weights, dict(relevancy_model()))}

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenJudge]:
        """Take the embedder, or open the one that the weights were fitted with. Raises ConfigError where its weights
        are not installed."""
        with claim_embedder(tools.store, tools.embedder) as embedder:
            yield Judging(self.NAME, tools.embedder or embedder, ClaimLikeness(embedder))
