"""The corpus of a variant as measures see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragbench.errors import DataError
from ragbench.measure.provided import SentenceSimilarity, TextLikeness, WindowUse
from ragbench.records.document import Chunk, Document


@dataclass(frozen=True, eq=False)
class ChunkedCorpus:
    """Documents and their chunks. `chunks[i].number == i`; `tokens[i]` is the token count of `chunks[i].text`.

    `window` says how the chunks fit the embedder's window (None: no embedder reads them), `similarity` how alike
    neighbouring sentences are (None: nobody asked), `likeness` how alike answer and reference are (None: no embedder).
    """

    documents: Mapping[str, Document]
    chunks: Sequence[Chunk]
    tokens: Sequence[int]
    window: WindowUse | None = None
    similarity: SentenceSimilarity | None = None
    likeness: TextLikeness | None = None

    def __post_init__(self) -> None:
        """Refuse counts that do not belong to the chunks."""
        if len(self.tokens) != len(self.chunks):
            raise DataError("token counts", expected=f"{len(self.chunks)}, one a chunk", found=str(len(self.tokens)))

    @cached_property
    def by_document(self) -> Mapping[str, Sequence[Chunk]]:
        """Chunks of each document, in order of number; a document without chunks has an empty list."""
        found: dict[str, list[Chunk]] = {doc_id: [] for doc_id in self.documents}
        for chunk in self.chunks:
            found.setdefault(chunk.doc_id, []).append(chunk)
        return found

    @cached_property
    def sizes(self) -> Sequence[int]:
        """Characters of each chunk's text, ascending."""
        return sorted(len(chunk.text) for chunk in self.chunks)
