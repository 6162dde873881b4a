"""Documents and chunks: the text side of the data model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CHUNK_LANGUAGE = "chunk_language"
"""What filters call the language of a chunk's own text (`zh`, `en` or `mixed`), a field beside its metadata."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a document: `start` is the offset of its line in `Document.text`, `level` is 1–6."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Document:
    """One source file after loading and normalisation.

    `doc_id` is the NFC POSIX path relative to the corpus folder. Every character offset in the project
    indexes `text` (Unicode code points), which never changes afterwards. `pages` holds
    `(start offset, page number)` pairs in ascending order, empty for kinds without pages. `outline` lists the headings
    in order. `content_hash` is `sha256:` + hex of the UTF-8 text.
    """

    doc_id: str
    text: str
    doc_type: str
    content_hash: str
    source: str = ""
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    outline: tuple[Heading, ...] = ()
    pages: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open interval `[start, end)` of one document's text, with flags a splitter raised.

    Flags: `atomic` – longer than the size because the unit may not be cut. `parent` is the interval that the generator
    reads in place of this one, where a splitter cuts parents into children; it holds the span.
    """

    start: int
    end: int
    flags: tuple[str, ...] = ()
    parent: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class DocSpan:
    """Half-open interval `[start, end)` of the document `doc_id`."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document.

    `text == document.text[start:end]` exactly. `index_text` is what is embedded and searched (it may
    carry a contextual prefix). `headings` is the trail, from the outermost, at the chunk's first line that is
    no heading itself; of a chunk of headings only, the trail of its last heading, itself included.
    `number` counts from 0 in the whole chunk set and is the tie-breaker of every ranking. `parent` is the interval that
    is packed in place of the chunk, and `parent_id` its name; None where chunks have no parents. `metadata` is that of
    the document, which filters are tried on and which names the tenant.
    """

    chunk_id: str
    number: int
    doc_id: str
    start: int
    end: int
    text: str
    index_text: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    line: int = 1
    flags: tuple[str, ...] = ()
    parent_id: str | None = None
    parent: tuple[int, int] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def span(self) -> DocSpan:
        """Where the chunk lies."""
        return DocSpan(self.doc_id, self.start, self.end)

    @property
    def read(self) -> DocSpan:
        """What a generator reads of the document: the parent, or the chunk itself where it has none."""
        return self.span if self.parent is None else DocSpan(self.doc_id, *self.parent)
