"""What an embedder is."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar

from ragbench.core.stage import Stage
from ragbench.core.workers import TextEmbedder


@dataclass(frozen=True, kw_only=True)
class Embedder(Stage):
    """A model that maps texts to vectors.

    `identity()` names the resolved runtime, precision and model hash, so that the fingerprint is that of the vector
    space. `OFFERS_TOKENS` says whether its workers give `token_vectors`, `REMOTE` that each call is a round trip.
    """

    OFFERS_TOKENS: ClassVar[bool] = True
    REMOTE: ClassVar[bool] = False

    @property
    def installed(self) -> bool:
        """Whether the weights are on this machine, for an embedder whose weights come with a package; others: True."""
        return True

    @abstractmethod
    def open(self) -> AbstractContextManager[TextEmbedder]:
        """Load the model. The bare worker computes every call; `ragbench.embedder.cached` adds the cache."""
