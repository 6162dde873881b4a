"""What of a question's retrieval the page shows: what was understood and searched, and what each list holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ragbench.eval_set.align import Evidence
from ragbench.records.document import DocSpan
from ragbench.records.trace import Trace
from ragbench.report.chunk_texts import ChunkTexts

SHOWN = 10
"""Ranks shown of each list."""

_TEXT, _NOTE = 1200, 240
_ROUTE_DEPTH = 100
_LISTS = 12
_FIRST = 3


def understood(trace: Trace | None) -> list[Any] | None:
    """`[complexity, its tier, category, its tier, question as understood]` as predicted; None where nothing was."""
    if trace is None:
        return None
    view = trace.query
    found = [view.complexity, view.tier, view.category, view.category_tier, _cut(view.text or "", _TEXT)]
    return found if any((view.complexity, view.category, view.text)) else None


def searched(trace: Trace | None, question: str) -> list[list[Any]]:
    """`[text, form, routes]` of each request of the last step; the text is None where it is the question as typed."""
    requests = trace.steps[-1].requests if trace and trace.steps else ()
    texts = (None if one.text == question else _cut(one.text, _TEXT) for one in requests)
    return [[text, one.form, list(one.routes)] for text, one in zip(texts, requests)]


def lists(trace: Trace | None, chunks: ChunkTexts) -> list[list[Any]]:
    """`[route, number of its request, length, [chunk, score, …]]` of what each route found in the last step."""
    found = []
    for one in (trace.steps[-1].route_lists if trace and trace.steps else ())[:_LISTS]:
        first = [pair for pair in zip(one.chunks[:SHOWN], one.scores) if chunks.use(pair[0])]
        flat = [part for chunk, score in first for part in (chunk, round(float(score), 4))]
        found.append([one.route, one.request, len(one.chunks), flat])
    return found


def rounds(trace: Trace | None, chunks: ChunkTexts) -> list[dict[str, Any]]:
    """What each of several rounds searched, found first, and answered to its own question; none for a single one."""
    rounds = trace.rounds if trace is not None else ()
    if len(rounds) < 2:
        return []
    return [
        {
            "searched": [_cut(request.text, _NOTE) for request in step.requests],
            "found": [item.chunk for item in step.reranked[:_FIRST] if chunks.use(item.chunk)],
            "answer": _cut(step.answer.text, _NOTE) if step.answer is not None else None,
            "note": _cut(step.note, _NOTE),
        }
        for step in rounds
    ]


def ranks(ranking: Sequence[Any], chunks: ChunkTexts) -> list[list[Any]]:
    """`[chunk, score, former rank]` of the first ranks."""
    return [
        [item.chunk, round(float(item.score), 4), item.former] for item in ranking[:SHOWN] if chunks.use(item.chunk)
    ]


def routes(trace: Trace | None, shown: set[int]) -> dict[str, list[list[Any]]]:
    """`[route, best rank]` of each chunk shown."""
    best: dict[int, dict[str, int]] = defaultdict(dict)
    for found in trace.steps[-1].route_lists if trace and trace.steps else ():
        for rank, chunk in enumerate(found.chunks[:_ROUTE_DEPTH], 1):
            if chunk in shown:
                ranks = best[chunk]
                ranks[found.route] = min(rank, ranks.get(found.route, rank))
    return {str(chunk): [[route, rank] for route, rank in ranks.items()] for chunk, ranks in best.items()}


def route_ranks(evidence: Evidence, trace: Trace | None, chunks: ChunkTexts) -> dict[str, list[int]]:
    """The best first rank of each group in what a route found for any request of the last step; 0: never."""
    best: dict[str, list[int]] = {}
    for one in trace.steps[-1].route_lists if trace and trace.steps else ():
        ranks = first_ranks(evidence, one.chunks[:_ROUTE_DEPTH], chunks)
        known = best.get(one.route, ranks)
        best[one.route] = [min(filter(None, pair), default=0) for pair in zip(known, ranks)]
    return best


def first_ranks(evidence: Evidence, numbers: Sequence[int], chunks: ChunkTexts) -> list[int]:
    """The rank from 1 at which a list satisfies each group, repeated chunks counted once; 0: never."""
    distinct = [number for number in dict.fromkeys(numbers) if 0 <= number < len(chunks.places)]
    spans = [DocSpan(*chunks.places[number][:3]) for number in distinct]
    return evidence.first_ranks(enumerate(spans, 1))[0]


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
