"""Whether chunks start and end where a reader would cut."""

from __future__ import annotations

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import DocumentCase
from ragbench.measure.chunks.borders import borders
from ragbench.records.score import Status


def boundary_quality(case: DocumentCase) -> Outcome:
    """Chunk starts and ends of a document that lie at a border of a sentence or structure ÷ all of them, in [0, 1].

    Blanks at the edges of a chunk do not count. A border inside a code fence, table row or clause is a bad one. N/a
    for a
    document without chunks. Source: methods.md §11 layer 1.
    """
    if not case.chunks:
        return not_applicable("the document has no chunks")
    text = case.document.text
    allowed = borders(text, case.document.doc_type)
    good_starts = good_ends = 0
    for chunk in case.chunks:
        piece = text[chunk.start : chunk.end]
        good_starts += allowed.starts_at(chunk.start + len(piece) - len(piece.lstrip()))
        good_ends += allowed.ends_at(chunk.start + len(piece.rstrip()))
    n = len(case.chunks)
    share = (good_starts + good_ends) / (2 * n)
    return Finding(Status.SCORED, share, f"{good_starts} of {n} starts and {good_ends} of {n} ends at a border")
