"""Search requests and what comes back from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

from ragbench.records.question import Question

Role = Literal["query", "passage"]
Join = Literal["rrf", "votes", "best", "sum", "flat"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search that a query stage or a flow asks for.

    `tenant` says in whose name it is made and has no default: a request without it cannot be written. None means in no
    name, which sees the documents of no tenant, not those of all. A pipeline refuses requests of another tenant than
    their question's principal. `of` makes a request for a question with all that it may see.

    `routes` limits the request to some routes (empty: all routes of the retriever). `role` says how a
    dense route embeds the text. `depth` None means the pipeline's pool depth. `filter` is a metadata
    condition (`ragbench.core.conditions`); of `allowed_docs` an empty tuple means that nothing may be seen, None that
    any document may. `languages` keeps to chunks in these languages where one of them may be seen, and restricts
    nothing where none may (empty: any language). `form` says what the text is of the question (`typed`, `rewrite`,
    `variant`, `hypothesis`, `step_back`, `part` …; empty: the question itself); no search depends on it. `join` says
    how a retriever makes one of the lists of several requests (`ragbench.retriever.fusion`); all requests of a plan
    say the same.
    """

    text: str
    role: Role = "query"
    routes: tuple[str, ...] = ()
    weight: float = 1.0
    depth: int | None = None
    filter: Mapping[str, Any] | None = None
    tenant: str | None = field(kw_only=True)
    allowed_docs: tuple[str, ...] | None = None
    languages: tuple[str, ...] = ()
    form: str = ""
    join: Join = "rrf"

    @classmethod
    def of(cls, question: Question, text: str | None = None) -> Self:
        """A request in the name of the question's principal, under its filter; `text` None: the question as typed."""
        text = question.question if text is None else text
        return cls(text, filter=question.filter, tenant=question.principal)


class Hit(NamedTuple):
    """A chunk in a list: `chunk` is the chunk number, `rank` counts from 1."""

    chunk: int
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class RouteList:
    """What one route found for one request, best first, ties by chunk number, no duplicates.

    `chunks` (chunk numbers) and `scores` are parallel, because there are very many and most readers want a column.
    `request` is the index of the request in its step. `weight` and `join` are the request's. `ms` is the time the
    search took when it was computed; `cached` says that it was taken from the store.
    """

    route: str
    request: int
    chunks: tuple[int, ...]
    scores: tuple[float, ...]
    weight: float = 1.0
    ms: float = 0.0
    cached: bool = False
    join: Join = "rrf"

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
