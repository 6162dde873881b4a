"""What a run tells the measures of a chunk set, because measures import no stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragbench.records.document import Document

BY_SENTENCES = frozenset({"chunks/coherence"})
"""Measures that read a `SentenceSimilarity`; it is provided only where one of them is asked for by name."""


BY_VECTORS = BY_SENTENCES | {"answer/correctness_semantic"}
"""Measures that read vectors, which a stored run does not hold."""


@dataclass(frozen=True, slots=True)
class WindowUse:
    """How the searched texts of a chunk set fit the embedder's window of `max_tokens` tokens.

    `over` of `texts` are longer, and `beyond` of their `characters` lie behind the first window. `overflow` says what
    became of these: `window_mean` (embedded in windows of their own and averaged) or `truncate` (lost).
    """

    max_tokens: int
    overflow: str
    texts: int
    over: int
    characters: int
    beyond: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The sentences of a document as `[start, end)`, ascending, and the cosine of each with the next: one fewer."""

    spans: Sequence[tuple[int, int]]
    cosines: Sequence[float]


class SentenceSimilarity(Protocol):
    """Finds the sentences of a document and how alike neighbours are."""

    def __call__(self, document: Document) -> Neighbours:
        """Sentences and cosines of a document."""
        ...


class TextLikeness(Protocol):
    """Says how alike two texts are."""

    def __call__(self, text: str, other: str) -> float:
        """Cosine of both, in [-1, 1]."""
        ...
