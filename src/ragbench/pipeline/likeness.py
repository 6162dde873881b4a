"""How alike two forms of a question are, by the variant's embedder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ragbench.core.codec import dumps, loads
from ragbench.core.fingerprint import quick_key
from ragbench.core.memo import Compute, Memo
from ragbench.core.store import Store
from ragbench.core.workers import TextEmbedder


class Likeness:
    """Cosines of questions, embedded as queries and stored by their vector space; `embedder` opens it when one is
    missing."""

    def __init__(self, store: Store, space: str, embedder: Callable[[], TextEmbedder]) -> None:
        self.memo = Memo(store.table("alike"))
        self._space, self._embedder = space, embedder

    def __call__(self, one: str, other: str) -> float:
        """The cosine of two questions, in [-1, 1]."""
        key = quick_key("alike", self._space, one, other)
        return float(loads(self.memo.call(key, lambda: self._comparing(one, other)).value))

    def _comparing(self, one: str, other: str) -> Compute:
        embedder = self._embedder()
        return lambda: dumps(float(np.dot(*embedder.embed_queries([one, other]))))
