"""Several rounds of retrieval as one ranking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragbench.flow.rounds import used
from ragbench.records.search import Ranked, Ranking
from ragbench.records.trace import Trace, TraceStep


def merged(steps: Sequence[TraceStep]) -> TraceStep:
    """A step that holds the requests and lists of all rounds, and their rankings merged without duplicates.

    Rounds take turns: a chunk stands by its best rank in any round, ties by the order of the rounds, so that the first
    k·n ranks of n rounds hold the first k of each. Its score is 1 ÷ its rank. `former` of the reranked list is the rank
    in the merged list before reranking; where no round was reranked both lists are one object.
    """
    requests = tuple(request for step in steps for request in step.requests)
    lists, shift = [], 0
    for step in steps:
        lists += [replace(one, request=one.request + shift) if shift else one for one in step.route_lists]
        shift += len(step.requests)
    fused = _ranking(interleaved([item.chunk for item in step.fused] for step in steps))
    if all(step.reranked is step.fused for step in steps):
        return TraceStep(requests, tuple(lists), fused, fused)
    former = {item.chunk: item.rank for item in fused}
    after = interleaved([item.chunk for item in step.reranked] for step in steps)
    reranked = tuple(Ranked(item.chunk, item.score, item.rank, former.get(item.chunk)) for item in _ranking(after))
    return TraceStep(requests, tuple(lists), fused, reranked)


def interleaved(rankings: Iterable[Sequence[int]]) -> list[int]:
    """Chunks of several rankings by their best rank, ties by the order of the rankings; each once."""
    best: dict[int, tuple[int, int]] = {}
    for number, ranking in enumerate(rankings):
        for rank, chunk in enumerate(ranking):
            place = (rank, number)
            if chunk not in best or place < best[chunk]:
                best[chunk] = place
    return sorted(best, key=lambda chunk: best[chunk])


def recalled(steps: Sequence[TraceStep], recall_k: int) -> int:
    """How many of the first ranks of the merged list were among the first `recall_k` of some round: its cut-off."""
    return len({item.chunk for step in steps for item in step.fused[:recall_k]})


def with_cuts(trace: Trace, recall_k: int) -> Trace:
    """A trace that has its final ranking with the rounds of retrieval it took and, where it merged several, the cut-off
    of the merged list."""
    rounds = trace.steps[:-1] or trace.steps
    several = len(rounds) > 1
    return replace(
        trace,
        usage=used(trace.query, len(rounds)),
        recall_k=recalled(rounds, recall_k) if several else None,
    )


def _ranking(chunks: Sequence[int]) -> Ranking:
    return tuple(Ranked(chunk, 1.0 / rank, rank) for rank, chunk in enumerate(chunks, 1))
