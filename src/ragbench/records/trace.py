"""Everything that happened to one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragbench.records.search import Ranking, RouteList, SearchRequest


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """One block of the packed context: `[start, end)` of a document, made of one or more chunks.

    `citation` is the number a generator cites, from 1. `text` is what the generator sees.
    """

    citation: int
    doc_id: str
    start: int
    end: int
    chunks: tuple[int, ...]
    text: str
    tokens: int
    relevance: float | None = None


@dataclass(frozen=True, slots=True)
class DroppedChunk:
    """A ranked chunk that did not enter the context: `reason` is `budget`, `cut_off` or `duplicate`."""

    chunk: int
    reason: str


@dataclass(frozen=True, slots=True)
class PackedContext:
    """The context given to the generator, in the order it is read."""

    blocks: tuple[ContextBlock, ...] = ()
    tokens: int = 0
    budget: int = 0
    dropped: tuple[DroppedChunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence of the answer, `[start, end)` of `Answer.text`, and the block it cites.

    `block` None: the generator cited an id that is not in the context.
    """

    start: int
    end: int
    block: int | None
    doc_id: str = ""
    doc_start: int = 0
    doc_end: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the generator said. A refusal has `refused` and a reason; its text is the localised message."""

    text: str = ""
    refused: bool = False
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class QueryView:
    """What query understanding said: complexity class, the tier that decided, whether it abstained."""

    complexity: str | None = None
    tier: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One round of retrieval: what was asked, what each route found, how it was fused and reranked.

    `fused` is the ranking before reranking over the whole pool, `reranked` the full list after it
    (equal to `fused` with `former` None when there is no reranker).
    """

    requests: tuple[SearchRequest, ...] = ()
    route_lists: tuple[RouteList, ...] = ()
    fused: Ranking = ()
    reranked: Ranking = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """All of one question's way through a pipeline.

    `answer` None: the variant generates no answer. `timings_ms` maps stage to milliseconds as measured when the stage
    was computed (cached results carry their original time). `usage` counts tokens and calls by role.
    `error` is set when the question failed; what was reached before is kept.
    """

    question_id: str
    query: QueryView = QueryView()
    steps: tuple[TraceStep, ...] = ()
    context: PackedContext | None = None
    answer: Answer | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None

    @property
    def fused(self) -> Ranking:
        """The final ranking before reranking."""
        return self.steps[-1].fused if self.steps else ()

    @property
    def reranked(self) -> Ranking:
        """The final ranking."""
        return self.steps[-1].reranked if self.steps else ()
