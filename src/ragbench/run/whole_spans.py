"""A splitter that keeps some passages whole: the gold put in at the chunking, an upper reference and no system."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.records.document import Document, Span
from ragbench.splitter.base import Cut, EmbedderOpener, Splitter
from ragbench.splitter.trim import drop_blanks, skip_blanks

Passage = tuple[str, int, int]
"""Document, first character, one past the last."""


@dataclass(frozen=True, kw_only=True)
class WholeSpans(Splitter):
    """The chunks of another splitter; each of `passages` is a chunk of its own beside them, and pieces that lie wholly
    in one are left out.

    A passage that a chunk of the other splitter holds already adds nothing. Where chunks have parents, a passage is its
    own parent.
    """

    splitter: Splitter
    passages: tuple[Passage, ...]

    @property
    def uses_embedder(self) -> bool:
        """As the other splitter."""
        return self.splitter.uses_embedder

    @property
    def has_parents(self) -> bool:
        """As the other splitter."""
        return self.splitter.has_parents

    def open(self, embedder: EmbedderOpener | None) -> Cut:
        """The cutting function."""
        cut = self.splitter.open(embedder)
        return lambda document: self._with_whole(document, cut(document))

    def spans(self, document: Document) -> list[Span]:
        """As `open`, of a splitter that needs no embedder."""
        return self._with_whole(document, self.splitter.spans(document))

    def _with_whole(self, document: Document, spans: list[Span]) -> list[Span]:
        wanted = [
            _trimmed(document.text, start, end) for doc_id, start, end in self.passages if doc_id == document.doc_id
        ]
        missing = [one for one in wanted if one.start < one.end and not any(_inside(one, held) for held in spans)]
        by_start = {span.start: span for span in spans if not any(_inside(span, one) for one in missing)}
        by_start |= {one.start: self._own(one) for one in sorted(missing, key=lambda one: one.end)}
        return [by_start[start] for start in sorted(by_start)]

    def _own(self, span: Span) -> Span:
        return Span(span.start, span.end, (), (span.start, span.end)) if self.has_parents else span


def _trimmed(text: str, start: int, end: int) -> Span:
    end = drop_blanks(text, start, end)
    return Span(skip_blanks(text, start, end), end)


def _inside(span: Span, other: Span) -> bool:
    return other.start <= span.start and span.end <= other.end
