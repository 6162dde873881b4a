"""A small corpus, questions and traces for tests of measures, aggregates and comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.measure.case import Case, ChunkedCorpus, make_cases
from ragbench.records.document import Chunk, Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.records.score import ClaimState, ClaimVerdict, Verdict
from ragbench.records.search import Ranked, RouteList, SearchRequest
from ragbench.records.trace import Answer, ContextBlock, PackedContext, QueryView, Trace, TraceStep


def document(doc_id: str, text: str, doc_type: str = "markdown", **more: Any) -> Document:
    """A document with a made-up hash."""
    return Document(doc_id, text, doc_type, f"sha256:{doc_id}", **more)


def corpus(texts: Mapping[str, str], spans: Sequence[tuple[str, int, int]]) -> ChunkedCorpus:
    """Documents with chunks at `spans`; a token is a character."""
    chunks = [
        Chunk(f"{doc}#{number}", number, doc, start, end, texts[doc][start:end], texts[doc][start:end])
        for number, (doc, start, end) in enumerate(spans)
    ]
    documents = {doc: document(doc, text) for doc, text in texts.items()}
    return ChunkedCorpus(documents, chunks, [chunk.end - chunk.start for chunk in chunks])


def windows(doc_id: str, text: str, size: int) -> list[tuple[str, int, int]]:
    """Spans of equal length without overlap."""
    return [(doc_id, start, min(start + size, len(text))) for start in range(0, len(text), size)]


def group(*items: tuple[str, int, int] | str, name: str = "g") -> EvidenceGroup:
    """A group of alternatives: `(doc, start, end)`, or a document id for a whole document."""
    made = [EvidenceItem(item, whole=True) if isinstance(item, str) else EvidenceItem(*item) for item in items]
    return EvidenceGroup(name, tuple(made))


def question(question_id: str = "q", groups: Sequence[EvidenceGroup] = (), **more: Any) -> Question:
    """A question that is answerable exactly when it has groups, unless told otherwise."""
    more.setdefault("answerable", bool(groups))
    more.setdefault("question", f"question {question_id}")
    named = tuple(EvidenceGroup(f"g{at}", one.items) for at, one in enumerate(groups))
    return Question(question_id, groups=named, **more)


def ranking(numbers: Sequence[int]) -> tuple[Ranked, ...]:
    """Chunk numbers as a ranking."""
    return tuple(Ranked(number, 1.0 / rank, rank) for rank, number in enumerate(numbers, 1))


def routes(**lists: Sequence[int]) -> tuple[RouteList, ...]:
    """Chunk numbers by route, all of the first request."""
    return tuple(
        RouteList(route, 0, tuple(numbers), tuple(1.0 / rank for rank in range(1, len(numbers) + 1)))
        for route, numbers in lists.items()
    )


def trace(
    question_id: str = "q",
    fused: Sequence[int] = (),
    reranked: Sequence[int] | None = None,
    *,
    route_lists: tuple[RouteList, ...] = (),
    requests: tuple[SearchRequest, ...] = (),
    **more: Any,
) -> Trace:
    """A trace of one step; without `reranked` there is no reranker."""
    before = ranking(fused)
    after = before if reranked is None else ranking(reranked)
    step = TraceStep(requests or (SearchRequest(f"question {question_id}", tenant=None),), route_lists, before, after)
    more.setdefault("query", QueryView())
    return Trace(question_id, steps=(step,), **more)


def packed(chunked: ChunkedCorpus, numbers: Sequence[int]) -> PackedContext:
    """One block a chunk."""
    blocks = [
        ContextBlock(at, chunk.doc_id, chunk.start, chunk.end, (chunk.number,), chunk.text, len(chunk.text))
        for at, chunk in enumerate((chunked.chunks[number] for number in numbers), 1)
    ]
    return PackedContext(tuple(blocks), sum(block.tokens for block in blocks), 4000)


def claims(*states: ClaimState) -> tuple[ClaimVerdict, ...]:
    """A claim for each state."""
    return tuple(ClaimVerdict(f"claim {at}", state) for at, state in enumerate(states))


def one_case(asked: Question, chunked: ChunkedCorpus, made: Trace | None, verdict: Verdict | None = None) -> Case:
    """The case of a single question."""
    return make_cases([asked], [made] if made else [], chunked, [verdict] if verdict else [])[0]


def answer(text: str, **more: Any) -> Answer:
    """An answer that is no refusal unless told otherwise."""
    return Answer(text, **more)
