"""One chunk a document."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.records.document import Document, Span
from ragbench.splitter.base import Splitter
from ragbench.splitter.trim import trimmed


@dataclass(frozen=True, kw_only=True)
class WholeSplitter(Splitter):
    """The whole document is one chunk, as in BEIR and for SQuAD paragraphs; it has no knobs."""

    def spans(self, document: Document) -> list[Span]:
        """One span from the first to the last non-blank character; none for a blank document."""
        return trimmed(document.text, [Span(0, len(document.text))])
