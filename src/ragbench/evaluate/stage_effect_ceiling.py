"""How good a reranker could be: the head of the ranking in the best order, by gold."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.eval_set.align import ROUNDING, TAU, Evidence, Placed
from ragbench.evaluate.stage_effect_ranks import Ranks
from ragbench.measure.case import Case


def ideal_ranks(case: Case, seen: Ranks, recall_k: int) -> Ranks:
    """Ranks of the groups, ascending, that no order of the first `recall_k` chunks can improve on; 0 for each group
    outside the pool.

    `seen` is `chunk_ranks(case)`. The i-th group that the head holds needs at least as many chunks as the i-th of the
    fewest that each group needs, and as many as it takes to touch i groups; groups that are complete only behind the
    head stay where they are. This is exact unless groups share pieces of split evidence, and never too low: what was
    reached is not above it, also where a reranker drops chunks.
    """
    evidence, fused = case.evidence, case.fused
    within = {group for group, rank in enumerate(seen) if 0 < rank <= recall_k}
    behind = [fused.ranks[group] for group, rank in enumerate(seen) if rank > recall_k]
    head = [span for rank, span in fused.touching if rank <= recall_k]
    best = sorted([*_head_ranks(evidence, head, within), *behind])
    for at, rank in enumerate(sorted(rank for rank in case.reranked.ranks if rank)):
        best[at] = min(best[at], rank)
    return (*best, *[0] * (evidence.n_groups - len(best)))


def _head_ranks(evidence: Evidence, head: Sequence[Placed], within: set[int]) -> list[int]:
    """A rank for each group of `within`, ascending."""
    if len(head) == 1:
        return [1] * len(within)
    spans = list({span.doc_id: span for span in head}.values()) if evidence.by_document else head
    needed = sorted(_fewest(evidence, spans, group) for group in within)
    touched = sorted((_touched(evidence, span, within) for span in spans), reverse=True)
    reach = [rank for rank, groups in enumerate(touched, 1) for _ in range(groups)]
    return [max(pair) for pair in zip(needed, reach, strict=False)]


def _fewest(evidence: Evidence, spans: Sequence[Placed], group: int) -> int:
    """The fewest of `spans` that can satisfy a group which all of them together satisfy; text that two of them share
    counts twice, so that it is never too many."""
    fewest = len(spans)
    for item in evidence.items:
        if item.group != group:
            continue
        near = [span for span in spans if span.doc_id == item.doc_id]
        if item.whole:
            fewest = 1 if near else fewest
            continue
        edges = [(max(span.start, item.start), min(span.end, item.end)) for span in near]
        weights = sorted((item.weight(low, high) for low, high in edges if low < high), reverse=True)
        left = TAU * item.solid[-1] - ROUNDING
        for n, weight in enumerate(weights, 1):
            left -= weight
            if left <= 0 < weight:
                fewest = min(fewest, n)
                break
    return fewest


def _touched(evidence: Evidence, span: Placed, within: set[int]) -> int:
    """How many groups of `within` a span holds a piece of."""
    return len(
        {
            item.group
            for item in evidence.items
            if item.group in within
            and item.doc_id == span.doc_id
            and (item.whole or (span.start < item.end and item.start < span.end))
        }
    )
