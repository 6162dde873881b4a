"""What stages may ask of each other at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragbench.core.store import Store
from ragbench.records.search import SearchRequest

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


class ModelCalls(Protocol):
    """Opens language models for stages; what they say is cached, counted by role, and bounded by a budget."""

    @property
    def concurrency(self) -> int:
        """Requests that may be under way at a time, to each model."""
        ...

    @property
    def refuses(self) -> bool:
        """Whether every call is refused, so that what models said before is not to be used either."""
        ...

    @property
    def on_tape(self) -> bool:
        """Whether replies are recorded or replayed, so that every one is to be asked for here."""
        ...

    def charge(self, model: Any, role: str, counts: Mapping[str, int]) -> None:
        """Count `calls`, tokens and `untold` (answers that told none) of a result that a stage's own memory kept."""
        ...

    def asker(self, model: Any, role: str) -> Any:
        """An open `ragbench.llm.base.Asker` for a `ragbench.llm.base.Llm`; the same one at each call. `role` is what
        the calls are counted under: `query`, `classifier`, `reranker`, `generator`, `judge`."""
        ...


Passages = Callable[[SearchRequest], Sequence[str]]
"""The variant's own search, without transform and reranker: texts of the chunks found, best first, `pool_depth` deep.
Its lists are stored like any other."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What an online stage may use: the store and, where the pipeline has them, the open embedder, the models, and
    search for a query stage that says it `searches`. `sample` numbers repeated runs of a judge that asks models: it
    reaches the key under which their replies are kept and nothing else."""

    store: Store
    embedder: TextEmbedder | None = None
    models: ModelCalls | None = None
    search: Passages | None = None
    sample: int = 0
