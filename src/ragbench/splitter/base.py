"""What a splitter is."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from ragbench.core.stage import Stage
from ragbench.records.document import Document, Span


@dataclass(frozen=True, kw_only=True)
class Splitter(Stage):
    """Maps a document to spans of its text.

    A subclass gives `spans`; offsets, headings, pages, lines and ids are added by `ragbench.splitter.chunking`.
    """

    @abstractmethod
    def spans(self, document: Document) -> list[Span]:
        """Spans in ascending order of start; together they cover every non-blank character, none is blank."""
