"""How alike neighbouring sentences are, by the variant's embedder: what `chunks/coherence` reads."""

from __future__ import annotations

import numpy as np

from ragbench.core.workers import TextEmbedder
from ragbench.measure.provided import Neighbours
from ragbench.records.document import Document
from ragbench.text.sentences import sentences


class SentenceCosines:
    """Cosines of neighbouring sentences, found once a document however many variants ask.

    Sentences are embedded as passages through the cache of `embedder`, so each text once ever. Rows are of length 1.
    """

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[str, str], Neighbours] = {}

    def __call__(self, document: Document) -> Neighbours:
        """Sentences and cosines of a document; fewer than two sentences have none."""
        place = (document.doc_id, document.content_hash)
        if place not in self._known:
            self._known[place] = self._neighbours(document.text)
        return self._known[place]

    def _neighbours(self, text: str) -> Neighbours:
        spans = [(one.start, one.end) for one in sentences(text)]
        if len(spans) < 2:
            return Neighbours(spans, [])
        vectors = self._embedder.embed_documents([text[start:end] for start, end in spans])
        cosines = np.einsum("nd,nd->n", vectors[:-1], vectors[1:], dtype=np.float64)
        return Neighbours(spans, np.clip(cosines, -1.0, 1.0).tolist())


def sentence_texts(text: str) -> list[str]:
    """The sentences of a text as they are embedded."""
    return [text[one.start : one.end] for one in sentences(text)]
