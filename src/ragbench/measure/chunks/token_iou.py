"""Overlap of the retrieved text with the evidence."""

from __future__ import annotations

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import Case

PARTS = ("iou", "precision", "recall")


def overlap_scores(common: int, retrieved: int, gold: int) -> dict[str, float]:
    """IoU = common ÷ (gold + retrieved − common), precision = common ÷ retrieved, recall = common ÷ gold; each in
    [0, 1].

    `common` counts each character of evidence once, `retrieved` every retrieved character as often as it came, so that
    overlapping chunks pay for what they repeat. Nothing retrieved: 0. Source: chunking_evaluation (Smith and Troynikov,
    2024), which counts characters of spans as we do; the name is theirs.
    """
    return {
        "iou": common / (gold + retrieved - common) if gold else 0.0,
        "precision": common / retrieved if retrieved else 0.0,
        "recall": common / gold if gold else 0.0,
    }


def token_overlap(case: Case, k: int, part: str) -> Outcome:
    """One of the three scores for the first k of the final ranking; n/a where evidence is whole documents."""
    if case.evidence.by_document:
        return not_applicable("the evidence is whole documents")
    view = case.reranked
    touching = [span for rank, span in view.touching if rank <= k]
    common, gold = case.evidence.overlap(touching)
    chunks = case.corpus.chunks
    retrieved = sum(chunks[number].end - chunks[number].start for number in view.numbers[:k])
    return overlap_scores(common, retrieved, gold)[part]
