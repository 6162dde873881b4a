"""Everything that happened to one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragbench.records.score import ClaimVerdict
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
    """A ranked chunk that is not in the context, or not whole.

    `reason`: `budget` (no room was left for it), `too_large` (larger than the whole budget), `duplicate` (its text
    stands there already), `shortened` (one line of it stands there) or `truncated` (its beginning does).
    """

    chunk: int
    reason: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a context is packed for: the question as the generator reads it, the earlier turns that it reads too, and
    the class that query understanding gave the question. Without arguments: nothing is known, and nothing is counted.
    """

    question: str = ""
    history: tuple[str, ...] = ()
    complexity: str | None = None


@dataclass(frozen=True, slots=True)
class PackedContext:
    """The context given to the generator, in the order it is read. `budget` is what was left for it of the window."""

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
class Grounding:
    """What checking an answer against its context found: how many `claims` were checked, the words of the
    `unsupported` ones, and the milliseconds it took. `verdicts` are those on the unsupported ones, in the same order,
    with places in the answer as it was written; a trace of a version that did not tell has none."""

    claims: int
    unsupported: tuple[str, ...] = ()
    ms: float = 0.0
    verdicts: tuple[ClaimVerdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the generator said. A refusal has `refused` and a reason; its text is the localised message.

    `clarifies`: the text is a question back to the user, which is neither an answer nor a refusal. `grounding` None:
    its claims were not checked.
    """

    text: str = ""
    refused: bool = False
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    confidence: float | None = None
    clarifies: bool = False
    grounding: Grounding | None = None


@dataclass(frozen=True, slots=True)
class QueryView:
    """What query understanding said: complexity class, the tier that decided, whether it abstained.

    `category` is the predicted kind of question, `answerable` the predicted probability that the corpus answers it,
    `language` the language it was taken for; None: not predicted. `text` is the question as it was understood, which
    reranker and generator read in place of the typed one (None: as typed). `clarify` is what the user is asked back
    instead of an answer. `usage` counts what understanding cost (`calls`, `prompt_tokens`, `completion_tokens`,
    `fallbacks`: model calls that failed or said nothing usable; `untold`, if any: answers that did not say what they
    used, so that the tokens are too few); `fallback` says why. `classifier_calls` are those of its `calls` that the
    classifier made; None: nothing was classified, or the trace is of a version that did not tell.
    """

    complexity: str | None = None
    tier: str = ""
    confidence: float | None = None
    category: str | None = None
    category_tier: str = ""
    language: str | None = None
    answerable: float | None = None
    text: str | None = None
    clarify: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    fallback: str = ""
    classifier_calls: int | None = None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One round of retrieval: what was asked, what each route found, how it was fused and reranked.

    `fused` is the ranking before reranking over the whole pool, `reranked` the full list after it
    (equal to `fused` with `former` None when there is no reranker). No stage reads the last two, only measures that
    fill a context budget: `deeper` are chunk numbers found beyond the pool, best first, and `more` says that the routes
    would find still others. `answer` is what the variant said to the step's own question, of a flow that passes it on
    to a later step (None: it was not asked); `note` says why it was not passed on, empty where it was.
    """

    requests: tuple[SearchRequest, ...] = ()
    route_lists: tuple[RouteList, ...] = ()
    fused: Ranking = ()
    reranked: Ranking = ()
    deeper: tuple[int, ...] = ()
    more: bool = False
    answer: Answer | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """All of one question's way through a pipeline.

    `answer` None: the variant generates no answer. `timings_ms` maps stage to milliseconds as measured when the stage
    was computed (cached results carry their original time). `usage` counts tokens and calls by role.
    `error` is set when the question failed; what was reached before is kept.
    Of several steps the last one has the final rankings. `k` and `recall_k` are the cut-offs of a flow that decides
    them for each question: chunks that were packed, and first ranks of `fused` that went on to the reranker; None:
    those of the variant. `untransformed` is the ranking before reranking, as chunk numbers, that the question as typed
    would have had in the same variant; only measures read it. None: the variant searches as typed, or it could not be
    searched. `likeness` is the cosine of the question as typed and as rewritten, in [-1, 1]; None: it was not
    rewritten, or the variant has no vectors.
    """

    question_id: str
    query: QueryView = QueryView()
    steps: tuple[TraceStep, ...] = ()
    context: PackedContext | None = None
    answer: Answer | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    k: int | None = None
    recall_k: int | None = None
    untransformed: tuple[int, ...] | None = None
    likeness: float | None = None

    @property
    def fused(self) -> Ranking:
        """The final ranking before reranking."""
        return self.steps[-1].fused if self.steps else ()

    @property
    def reranked(self) -> Ranking:
        """The final ranking."""
        return self.steps[-1].reranked if self.steps else ()

    @property
    def rounds(self) -> tuple[TraceStep, ...]:
        """The steps that searched: all but a last one that merges the requests of all before it."""
        *before, last = self.steps or (TraceStep(),)
        merges = before and last.requests == tuple(request for step in before for request in step.requests)
        return tuple(before) if merges else self.steps
