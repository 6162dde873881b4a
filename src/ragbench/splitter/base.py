"""What a splitter is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from ragbench.core.stage import Stage
from ragbench.core.workers import TextEmbedder
from ragbench.records.document import Document, Span

Cut = Callable[[Document], list[Span]]
EmbedderOpener = Callable[[], TextEmbedder]


@dataclass(frozen=True, kw_only=True)
class Splitter(Stage):
    """Maps a document to spans of its text.

    A subclass gives `spans`; offsets, headings, pages, lines and ids are added by `ragbench.splitter.chunking`. One
    that compares vectors says so with `uses_embedder` and gives `open` instead: its chunks then depend on the
    variant's embedder too.
    """

    @property
    def uses_embedder(self) -> bool:
        """Whether cutting needs the variant's embedder."""
        return False

    @property
    def has_parents(self) -> bool:
        """Whether spans carry the interval that is packed in their place; `k` then counts distinct parents."""
        return False

    def open(self, embedder: EmbedderOpener | None) -> Cut:
        """The function that cuts one document; `embedder` opens the variant's embedder when it is first called."""
        return self.spans

    @abstractmethod
    def spans(self, document: Document) -> list[Span]:
        """Spans in ascending order of start; together they cover every non-blank character, none is blank."""
