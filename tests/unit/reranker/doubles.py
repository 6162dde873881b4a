"""Chunks, rankings and an embedder whose token vectors are set by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragbench.core.workers import Floats
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked, Ranking


def chunk(number: int, index_text: str, text: str = "shown") -> Chunk:
    return Chunk(f"c{number}", number, "doc", 0, len(text), text=text, index_text=index_text)


def ranking(*hits: tuple[int, float]) -> Ranking:
    return tuple(Ranked(number, score, rank) for rank, (number, score) in enumerate(hits, start=1))


class TableEmbedder:
    """Token vectors by text."""

    dimension = 2
    max_tokens = 100
    space = "table"

    def __init__(self, table: Mapping[str, Sequence[Sequence[float]]]) -> None:
        self._table = table
        self.asked: list[tuple[list[str], str]] = []

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        raise NotImplementedError

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        raise NotImplementedError

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Floats]:
        self.asked.append((list(texts), role))
        return [np.array(self._table[text], np.float32).reshape(-1, 2) for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(self._table[text]) for text in texts]
