"""Searching a Chroma collection as any other dense index: exact ties, exact filters, repeatable lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from ragbench.core.workers import Floats
from ragbench.index.base import FoundList, Ints
from ragbench.index.exact import ExactReader
from ragbench.index.selection import NOTHING, best
from ragbench.index.vectors import checked_query

# Fetched beyond the depth, so that equal scores around the cut are ordered by chunk number.
_SPARE = 16


class ChromaReader:
    """A collection whose ids are chunk numbers, open for reading, and the same vectors for exact search.

    The graph answers what has no filter; similarity is 1 − cosine distance. A filter is answered by exact search among
    the chunks that pass it, and so is a search where the graph finds too few: k hits come back whenever k exist.
    """

    def __init__(self, collection: Any, rows: Floats) -> None:
        self._collection, self._exact = collection, ExactReader(rows)
        self.size, self._dimension = rows.shape

    def search(self, query: Floats, depth: int, allowed: Ints | None = None) -> FoundList:
        """See `OpenIndex.search`. Raises DataError for a query of another dimension."""
        if allowed is not None:
            return self._exact.search(query, depth, allowed)
        query, depth = checked_query(query, self._dimension), min(depth, self.size)
        if depth <= 0:
            return NOTHING
        found = self._nearest(query, depth)
        return found if len(found[0]) == depth else self._exact.search(query, depth)

    def _nearest(self, query: Floats, depth: int) -> FoundList:
        """The graph's list; equal scores at the cut are all looked at."""
        wanted = depth + _SPARE
        while True:
            wanted = min(wanted, self.size)
            numbers, scores = self._fetched(query, wanted)
            found = best(scores, numbers, depth)
            tied = len(numbers) >= wanted and scores.min(initial=2.0) >= found[1].min(initial=2.0)
            if wanted == self.size or not tied:
                return found
            wanted *= 4

    def _fetched(self, query: Floats, wanted: int) -> FoundList:
        """What the graph finds, by chunk number."""
        answer = self._collection.query(query_embeddings=query[None], n_results=wanted, include=["distances"])
        numbers = np.array([int(name) for name in answer["ids"][0]], dtype=np.int32)
        scores = 1 - np.array(answer["distances"][0], dtype=np.float32)
        order = np.argsort(numbers, kind="stable")
        return numbers[order], scores[order]


class NoChunks:
    """An index without chunks."""

    size = 0

    def search(self, query: Floats, depth: int, allowed: Ints | None = None) -> FoundList:
        """Nothing."""
        return NOTHING
