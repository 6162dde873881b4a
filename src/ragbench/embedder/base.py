"""What an embedder is."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass

from ragbench.core.stage import Stage
from ragbench.core.workers import TextEmbedder


@dataclass(frozen=True, kw_only=True)
class Embedder(Stage):
    """A model that maps texts to vectors.

    `identity()` names the resolved runtime, precision and model hash, so that the fingerprint is that of the vector
    space.
    """

    @abstractmethod
    def open(self) -> AbstractContextManager[TextEmbedder]:
        """Load the model. The bare worker computes every call; `ragbench.embedder.cached` adds the cache."""
