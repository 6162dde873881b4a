"""A deterministic embedder of words and characters, and packed contexts made of texts."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ragbench.records.trace import ContextBlock, PackedContext
from ragbench.text.terms import terms

NO_POLICY: Any = {"min_contexts": 1, "min_max": 0, "min_mean": 0}
"""The refusal policy as it is shipped."""


class WordEmbedder:
    """A text is its terms; a term's vector comes from its hash, so equal terms have cosine 1 and others about 0."""

    dimension = 64
    max_tokens = 512
    space = "words"

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []

    def _vector(self, term: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).normal(size=self.dimension).astype(np.float32)
        return vector / np.linalg.norm(vector)

    def token_vectors(self, texts, role):
        assert role in ("query", "passage")
        self.calls.append(tuple(texts))
        return [
            np.stack([self._vector(t) for t in terms(x)]) if terms(x) else np.zeros((0, 64), np.float32) for x in texts
        ]

    def embed_documents(self, texts):
        rows = [states.sum(0) if len(states) else self._vector("") for states in self.token_vectors(texts, "passage")]
        return np.stack([row / np.linalg.norm(row) for row in rows]).astype(np.float32)

    embed_queries = embed_documents

    def count_tokens(self, texts):
        return [len(terms(text)) for text in texts]


def context_of(*texts: str, heading: str = "", start: int = 0) -> PackedContext:
    """One block a text, each of its own document `d<n>.md` at `start`."""
    blocks = tuple(
        ContextBlock(n, f"d{n}.md", start, start + len(text), (n - 1,), heading + text, len(text), 1.0 / n)
        for n, text in enumerate(texts, 1)
    )
    return PackedContext(blocks, sum(b.tokens for b in blocks), 4000)
