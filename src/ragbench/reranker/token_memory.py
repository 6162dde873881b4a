"""Token vectors of the chunks met last, ready to be multiplied."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from ragbench.core.workers import Floats, TextEmbedder

LIMIT_BYTES = 256 << 20


class TokenMemory:
    """An embedder's token vectors, those of passages kept by their text up to `limit_bytes`, the last met last to go.

    Reading a stored passage and making floats of it takes longer than comparing it.
    """

    def __init__(self, embedder: TextEmbedder, limit_bytes: int = LIMIT_BYTES) -> None:
        self._embedder, self._limit, self._used = embedder, limit_bytes, 0
        self._kept: OrderedDict[str, Floats] = OrderedDict()

    def query(self, text: str) -> Floats:
        """Vectors of a question, [n_tokens, dimension]."""
        return self._embedder.token_vectors([text], "query")[0]

    def passages(self, texts: Sequence[str]) -> list[Floats]:
        """Vectors of each text, [n_tokens, dimension]."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._kept))
        fresh = self._embedder.token_vectors(missing, "passage") if missing else []
        for text, vectors in zip(missing, fresh, strict=True):
            self._kept[text] = vectors
            self._used += vectors.nbytes
        found = [self._kept[text] for text in texts]
        for text in texts:
            self._kept.move_to_end(text)
        while self._used > self._limit and self._kept:
            self._used -= self._kept.popitem(last=False)[1].nbytes
        return found
