"""The chunk set of a corpus."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ragbench.core.fingerprint import text_hash
from ragbench.errors import DataError
from ragbench.records.document import Chunk, Document, Span
from ragbench.splitter.base import EmbedderOpener, Splitter
from ragbench.splitter.trail import Trails
from ragbench.splitter.watch import course

# Part of the key of every chunk set: goes up when the same splitter gives other chunks because this module, the trails,
# packing or the length units changed.
CHUNKING_VERSION = 6


def chunk_corpus(
    splitter: Splitter, documents: Iterable[Document], embedder: EmbedderOpener | None = None
) -> list[Chunk]:
    """All chunks in the order of the documents, numbered from 0.

    `chunk_id` is `doc_id#n` with n from 0 within the document. Page and line are those of the chunk's first
    character, headings those of its first line that is no heading itself (see `Trails`); `metadata` is the document's,
    the very same mapping. Blank chunks never appear; a document without text gives none. Whoever watches
    (`watch.watched`) is told how far it has come.

    Raises:
        DataError: the splitter broke its contract (spans outside the text or out of order).
    """
    cut = splitter.open(embedder)
    chunks: list[Chunk] = []
    documents = tuple(documents)
    with course(sum(len(document.text) for document in documents)) as done:
        for document in documents:
            spans = cut(document)
            _check(splitter, document, spans)
            chunks += _chunks(document, spans, len(chunks))
            done(len(document.text))
    return chunks


def chunks_to_rows(chunks: Iterable[Chunk]) -> Iterator[dict[str, Any]]:
    """Compact JSON-able rows: ids, spans, headings, place and hash; empty fields are left out. Text and metadata are
    the document's."""
    for chunk in chunks:
        row: dict[str, Any] = {
            "chunk_id": chunk.chunk_id,
            "doc_id": chunk.doc_id,
            "start": chunk.start,
            "end": chunk.end,
            "line": chunk.line,
            "hash": _short_hash(chunk.text),
        }
        for name in ("headings", "page", "flags", "parent_id", "parent"):
            value = getattr(chunk, name)
            if value or value == 0:
                row[name] = value
        yield row


def chunks_from_rows(rows: Iterable[Mapping[str, Any]], documents: Mapping[str, Document]) -> list[Chunk]:
    """The chunks of rows in their order, with text and metadata of the documents; `index_text` is the text.

    Raises:
        DataError: a document is missing, or its text is not the one that was chunked.
    """
    chunks: list[Chunk] = []
    for number, row in enumerate(rows):
        document = documents.get(row["doc_id"])
        text = document.text[row["start"] : row["end"]] if document else ""
        if not document or _short_hash(text) != row["hash"]:
            found = "another text" if document else "no such document"
            raise DataError(f"chunk {row['chunk_id']}", expected="the document it was cut from", found=found)
        chunks.append(
            Chunk(
                chunk_id=row["chunk_id"],
                number=number,
                doc_id=row["doc_id"],
                start=row["start"],
                end=row["end"],
                text=text,
                index_text=text,
                headings=tuple(row.get("headings", ())),
                page=row.get("page"),
                line=row["line"],
                flags=tuple(row.get("flags", ())),
                parent_id=row.get("parent_id"),
                parent=_interval(row.get("parent")),
                metadata=document.metadata,
            )
        )
    return chunks


def _chunks(document: Document, spans: Sequence[Span], first: int) -> Iterator[Chunk]:
    text, doc_id = document.text, document.doc_id
    trails = Trails(document)
    titles = [tuple(heading.title for heading in trail) for trail in trails.trails]
    pages = [start for start, _ in document.pages]
    lines = _line_numbers(text, [span.start for span in spans])
    parents = {parent: number for number, parent in enumerate(dict.fromkeys(span.parent for span in spans))}
    for index, (span, line) in enumerate(zip(spans, lines)):
        start, end = span.start, span.end
        piece = text[start:end]
        page = document.pages[max(bisect_right(pages, start) - 1, 0)][1] if pages else None
        yield Chunk(
            chunk_id=f"{doc_id}#{index}",
            number=first + index,
            doc_id=doc_id,
            start=start,
            end=end,
            text=piece,
            index_text=piece,
            headings=titles[trails.index(start, end)],
            page=page,
            line=line,
            flags=span.flags,
            parent_id=f"{doc_id}#parent{parents[span.parent]}" if span.parent else None,
            parent=span.parent,
            metadata=document.metadata,
        )


def _interval(value: Sequence[int] | None) -> tuple[int, int] | None:
    return None if value is None else (value[0], value[1])


def _line_numbers(text: str, starts: Sequence[int]) -> list[int]:
    """1-based line of each offset; the offsets ascend."""
    lines, line, position = [], 1, 0
    for start in starts:
        line += text.count("\n", position, start)
        position = start
        lines.append(line)
    return lines


def _short_hash(text: str) -> str:
    return text_hash(text).removeprefix("sha256:")[:16]


def _check(splitter: Splitter, document: Document, spans: Sequence[Span]) -> None:
    size = len(document.text)
    wrong = next((span for span in spans if not 0 <= span.start < span.end <= size), None)
    wrong = wrong or next((after for before, after in pairwise(spans) if after.start <= before.start), None)
    wrong = wrong or next((span for span in spans if document.text[span.start : span.end].isspace()), None)
    wrong = wrong or next((span for span in spans if span.parent and not _inside(span, span.parent, size)), None)
    if wrong:
        raise DataError(
            f"{type(splitter).__name__} on {document.doc_id}",
            expected="spans inside the text with ascending starts, none blank, each inside its parent",
            found=f"[{wrong.start}, {wrong.end})",
        )


def _inside(span: Span, parent: tuple[int, int], size: int) -> bool:
    return 0 <= parent[0] <= span.start and span.end <= parent[1] <= size
