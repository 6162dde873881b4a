"""Whether what a chunk says of itself is true."""

from __future__ import annotations

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import DocumentCase
from ragbench.records.document import Chunk, Document, Heading
from ragbench.records.score import Status


def metadata_correct(case: DocumentCase) -> Outcome:
    """Chunks whose text is the document's at their offsets and whose heading trail is the outline's ÷ chunks, in [0,
    1].

    The trail at an offset holds, level by level, the last heading that begins at or before it and is not closed by a
    heading of the same or a higher level. Blanks at the start of the chunk are passed over. N/a without chunks.
    """
    if not case.chunks:
        return not_applicable("the document has no chunks")
    right = sum(_is_right(chunk, case.document) for chunk in case.chunks)
    return Finding(Status.SCORED, right / len(case.chunks), f"{right} of {len(case.chunks)} chunks")


def heading_trail(outline: tuple[Heading, ...], offset: int) -> tuple[str, ...]:
    """Titles of the headings in force at `offset`, from the outermost."""
    trail: list[Heading] = []
    for heading in outline:
        if heading.start > offset:
            break
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        trail.append(heading)
    return tuple(heading.title for heading in trail)


def _is_right(chunk: Chunk, document: Document) -> bool:
    if document.text[chunk.start : chunk.end] != chunk.text:
        return False
    first = chunk.start + len(chunk.text) - len(chunk.text.lstrip())
    return chunk.headings in (heading_trail(document.outline, chunk.start), heading_trail(document.outline, first))
