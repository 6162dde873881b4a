"""What stages may ask of each other at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragbench.core.store import Store

Floats = NDArray[np.float32]


class TextEmbedder(Protocol):
    """An open embedder. Rows are L2-normalised float32.

    `space` identifies the vector space: fingerprint of the recipe with the resolved runtime and
    precision; it is part of every key of something computed from vectors.
    """

    dimension: int
    max_tokens: int
    space: str

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, shape [n, dimension]."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        """Vectors of queries, shape [n, dimension]."""
        ...

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Floats]:
        """Per text the normalised vectors of its own tokens (no special or prefix tokens), [n_tokens, dimension].

        `role` is `query` or `passage`. Raises ConfigError where the model offers none.
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's own tokeniser, without special and prefix tokens."""
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """What an online stage may use: the store and, where the pipeline has one, the open embedder."""

    store: Store
    embedder: TextEmbedder | None = None
