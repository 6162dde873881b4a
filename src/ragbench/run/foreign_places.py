"""Contexts that another system retrieved, found again in a corpus, as the chunks of its run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ragbench.core.fingerprint import text_hash
from ragbench.corpus.normalise import normalise
from ragbench.eval_set.squeezed import Squeezed
from ragbench.records.document import Chunk, Document
from ragbench.run.foreign_rows import Context
from ragbench.text.terminal import one_line

OUTSIDE = "not in the corpus"
"""Folder of the documents that stand for contexts which were not found."""
_PART = "\x00"
Place = tuple[str, int, int]


@dataclass
class Places:
    """Finds contexts: a place that is given is taken; a text where it stands first, in its document if one is named,
    exactly or else but for white space; no text is moved or guessed.

    `outside` are documents made of texts that are nowhere, `spaced` texts that were found but for white space,
    `several` texts that stand more than once.
    """

    documents: Mapping[str, Document]
    original: Mapping[str, str] = field(default_factory=dict)
    outside: dict[str, Document] = field(default_factory=dict)
    spaced: set[str] = field(default_factory=set)
    several: set[str] = field(default_factory=set)
    _known: dict[tuple[str | None, str], Place] = field(default_factory=dict)

    def of(self, context: Context) -> Place | str | None:
        """Where a context stands; None for a blank one, and what is wrong with one that names another document or place
        than there is."""
        doc_id = None if context.doc is None else self.original.get(context.doc, context.doc)
        document = None if doc_id is None else self.documents.get(doc_id)
        if context.doc is not None and document is None and context.text is None:
            return f"the corpus has no document '{one_line(context.doc, 80)}'"
        if document is not None and context.start is not None and context.end is not None:
            if context.end > len(document.text):
                return f"end {context.end} lies behind the text of {document.doc_id} ({len(document.text)} characters)"
            held = document.text[context.start : context.end]
            if context.text is None or context.text == held:
                return (document.doc_id, context.start, context.end) if held.strip() else None
        if context.text is None:
            return (document.doc_id, 0, len(document.text)) if document is not None else None
        if not context.text.strip():
            return None
        return self._found(document, context.text)

    def _found(self, document: Document | None, text: str) -> Place:
        key = (document.doc_id if document is not None else None, text)
        if key not in self._known:
            own = _Searched([document]) if document is not None else None
            place = (own.find(text, self) if own is not None else None) or self._all.find(text, self)
            self._known[key] = place or self._stranger(text)
        return self._known[key]

    @cached_property
    def _all(self) -> _Searched:
        return _Searched(self.documents.values())

    def _stranger(self, text: str) -> Place:
        digest = text_hash(text)
        doc_id = f"{OUTSIDE}/{digest.removeprefix('sha256:')[:12]}"
        self.outside.setdefault(doc_id, Document(doc_id, text, "txt", digest))
        return doc_id, 0, len(text)


class _Searched:
    """Some documents as one text."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = list(documents)
        self._text = _PART.join(document.text for document in self._documents)
        self._starts = [0]
        for document in self._documents:
            self._starts.append(self._starts[-1] + len(document.text) + len(_PART))

    @cached_property
    def _squeezed(self) -> Squeezed:
        return Squeezed(self._text)

    def find(self, text: str, places: Places) -> Place | None:
        """Where a text stands first."""
        if _PART in text:
            return None
        plain = text.strip()
        at = self._text.find(plain)
        if at >= 0:
            if self._text.find(plain, at + 1) >= 0:
                places.several.add(text)
            return self._place(at, at + len(plain))
        found = self._squeezed.places(Squeezed(normalise(text, collapse=False)))
        place = next(found, None)
        if place is None:
            return None
        places.spaced.add(text)
        if next(found, None) is not None:
            places.several.add(text)
        return self._place(*place)

    def _place(self, start: int, end: int) -> Place:
        number = bisect_right(self._starts, start) - 1
        first = self._starts[number]
        return self._documents[number].doc_id, start - first, end - first


def chunks_of(places: Iterable[Place], documents: Mapping[str, Document]) -> list[Chunk]:
    """A chunk for each place, in the order of the documents, numbered from 0; an id names the place."""
    order = {doc_id: at for at, doc_id in enumerate(documents)}
    chunks: list[Chunk] = []
    for doc_id, start, end in sorted(set(places), key=lambda one: (order[one[0]], *one[1:])):
        document = documents[doc_id]
        text = document.text[start:end]
        line = document.text.count("\n", 0, start) + 1
        name = f"{doc_id}#{start}-{end}"
        chunks.append(Chunk(name, len(chunks), doc_id, start, end, text, text, line=line, metadata=document.metadata))
    return chunks


def numbers_of(chunks: Sequence[Chunk]) -> dict[Place, int]:
    """The number of the chunk at each place."""
    return {(chunk.doc_id, chunk.start, chunk.end): chunk.number for chunk in chunks}
