"""Search requests and what comes back from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Role = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search that a query stage asks for.

    `routes` limits the request to some routes (empty: all routes of the retriever). `role` says how a
    dense route embeds the text. `depth` None means the pipeline's pool depth. `filter` is a metadata
    condition, `tenant` and `allowed_docs` restrict what may be seen (an empty tuple of documents
    means nothing may be seen, None means no restriction).
    """

    text: str
    role: Role = "query"
    routes: tuple[str, ...] = ()
    weight: float = 1.0
    depth: int | None = None
    filter: Mapping[str, Any] | None = None
    tenant: str | None = None
    allowed_docs: tuple[str, ...] | None = None


class Hit(NamedTuple):
    """A chunk in a list: `chunk` is the chunk number, `rank` counts from 1."""

    chunk: int
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class RouteList:
    """What one route found for one request, best first, ties by chunk number, no duplicates.

    `chunks` (chunk numbers) and `scores` are parallel, because there are very many and most readers want a column.
    `request` is the index of the request in its step. `weight` is the request's. `ms` is the time the search took when
    it was computed; `cached` says that it was taken from the store.
    """

    route: str
    request: int
    chunks: tuple[int, ...]
    scores: tuple[float, ...]
    weight: float = 1.0
    ms: float = 0.0
    cached: bool = False

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The list as records, made when asked for."""
        return tuple(map(Hit._make, zip(self.chunks, self.scores, range(1, len(self.chunks) + 1), strict=True)))


class Ranked(NamedTuple):
    """A chunk in a fused or reranked list; `former` is its rank before reranking (None: not reranked)."""

    chunk: int
    score: float
    rank: int
    former: int | None = None


Ranking = tuple[Ranked, ...]
