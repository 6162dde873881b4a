"""Whether what a chunk says of itself is true."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import DocumentCase
from ragbench.records.document import Chunk, Document, Heading
from ragbench.records.score import Status


def metadata_correct(case: DocumentCase) -> Outcome:
    """Chunks whose text is the document's at their offsets and whose heading trail is the outline's ÷ chunks, in [0,
    1].

    The trail is that of the chunk's first line that is neither blank nor a heading, or of its last line where there is
    none. The trail of a line holds, level by level, the last heading that begins at or before it and is not closed by
    a heading of the same or a higher level; one without a title only closes. In source code no line is a heading.
    N/a without chunks.
    """
    if not case.chunks:
        return not_applicable("the document has no chunks")
    lines = _Lines(case.document)
    right = sum(_is_right(chunk, lines) for chunk in case.chunks)
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
    return tuple(heading.title for heading in trail if heading.title)


class _Lines:
    """The lines of a document, and which of them are headings."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines = document.text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)][:-1]
        outline = () if document.doc_type == "code" else document.outline
        self.headings = {number for heading in outline for number in self._of(heading)}

    def at(self, offset: int) -> int:
        """The number of the line that holds an offset, from 0."""
        return bisect_right(self.starts, offset) - 1

    def _of(self, heading: Heading) -> range:
        """The lines of a heading: one with number signs, else those of its paragraph down to the underline."""
        first = self.at(heading.start)
        signs, _, _ = self.lines[first].replace("\t", " ").strip(" ").partition(" ")
        if set(signs) == {"#"} and len(signs) <= 6:
            return range(first, first + 1)
        for number in range(first + 1, len(self.lines)):
            line = self.lines[number]
            if set(line.strip()) in ({"="}, {"-"}) and not line.startswith("    "):
                return range(first, number + 1)
            if not line.strip():
                break
        return range(first, first + 1)


def _is_right(chunk: Chunk, lines: _Lines) -> bool:
    document = lines.document
    if document.text[chunk.start : chunk.end] != chunk.text:
        return False
    position = chunk.start
    for number, part in enumerate(chunk.text.split("\n"), lines.at(chunk.start)):
        if part.strip() and number not in lines.headings:
            return chunk.headings == heading_trail(document.outline, position)
        position += len(part) + 1
    return chunk.headings == heading_trail(document.outline, chunk.end - 1)
