"""An embedder for benchmarks that needs no model: a hashed bag of words, so that other tools can be given the same one.

A word falls into one of the dimensions with a sign, both from its BLAKE2b hash; the vector of a text is the normalised
sum over its words of sign × (1 + ln count). This is what context-grid calls `hash`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

DIMENSION = 384
_WORD = re.compile(r"\w+")


@lru_cache(maxsize=1 << 17)
def _place(word: str) -> tuple[int, float]:
    digest = blake2b(f"0\x00{word}".encode(), digest_size=16).digest()
    return int.from_bytes(digest[:8], "big") % DIMENSION, 1.0 if digest[8] & 1 else -1.0


def vectors(texts: Sequence[str]) -> Any:
    """Unit rows [n, 384], float32; a text without words is a row of zeros."""
    rows = np.zeros((len(texts), DIMENSION), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word, count in Counter(_WORD.findall(text.lower())).items():
            place, sign = _place(word)
            row[place] += sign * (1.0 + math.log(count))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=rows, where=lengths > 0)


class Words:
    """The open embedder; `space` is the fingerprint of the recipe."""

    dimension, max_tokens = DIMENSION, 1 << 30

    def __init__(self, space: str) -> None:
        self.space = space

    def embed_documents(self, texts: Sequence[str]) -> Any:
        """One row a text."""
        return vectors(texts)

    embed_queries = embed_documents

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Any]:
        """Vectors of the words of each text."""
        return [self.embed_documents(_WORD.findall(text) or [""]) for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Words of each text."""
        return [len(_WORD.findall(text)) for text in texts]
