"""The documents of a stored index: their texts, the files they came from, their chunks, and what was taken out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ragbench.core.codec import dumps, read_json, read_jsonl, write_json, write_jsonl
from ragbench.core.fingerprint import quick_key, text_hash
from ragbench.corpus.rows import from_row, to_row
from ragbench.records.document import Chunk, Document
from ragbench.splitter.chunking import chunks_from_rows, chunks_to_rows
from ragbench.splitter.prefix import ContextPrefix

OF_THE_BYTES = frozenset({"encoding", "warnings"})
"""Metadata on how a file was read, which another encoding of the same text changes."""
_DOCUMENTS, _CHUNKS, _NOTES = "documents.jsonl", "chunks.jsonl", "notes.json"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The file of a document when it was last read.

    `raw` is the hash of its bytes, `day` the date (UTC, ISO) of its last change. `stale` says why the file could not be
    read at the last update; the document is then what it was before. Empty: it was read.
    """

    raw: str
    day: str
    stale: str = ""


@dataclass(frozen=True, slots=True)
class Expired:
    """A document taken out for its age. It stays out while its file has these bytes (`raw`) or gives the same document
    (`content`, see `content_hash`)."""

    raw: str
    content: str
    day: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A chunk left out for another that says the same; it comes back when either of them changes or goes.

    `digest` and `kept_digest` are those of `ChunkSet`; `cosine` is None for texts that are equal in all but width and
    blanks.
    """

    chunk_id: str
    digest: str
    kept_id: str
    kept_digest: str
    cosine: float | None = None


@dataclass(frozen=True)
class ChunkSet:
    """The searched chunks in canonical order: documents by id, chunks by position.

    `digests` [n] are hashes of all that a chunk is: place, text, searched text, headings, flags. `key` is the hash of
    ids and digests in order, which every side of the index carries.
    """

    chunks: tuple[Chunk, ...]
    digests: tuple[str, ...]

    @cached_property
    def key(self) -> str:
        """The chunk-set hash."""
        return set_key(zip((chunk.chunk_id for chunk in self.chunks), self.digests))

    @cached_property
    def texts(self) -> list[str]:
        """What is embedded and searched."""
        return [chunk.index_text for chunk in self.chunks]

    @cached_property
    def by_id(self) -> dict[str, str]:
        """Digest of each chunk."""
        return dict(zip((chunk.chunk_id for chunk in self.chunks), self.digests))


@dataclass(frozen=True)
class Catalogue:
    """A function of the documents and of what was taken out by hand, never of the order in which they came.

    `documents` and `files` have the same keys, ascending; `rows` are those of `chunks_to_rows`, in canonical order, of
    all chunks including duplicates.
    """

    documents: Mapping[str, Document] = field(default_factory=dict)
    files: Mapping[str, FileRecord] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] = ()
    expired: Mapping[str, Expired] = field(default_factory=dict)
    duplicates: tuple[Duplicate, ...] = ()

    def all_chunks(self, prefix: ContextPrefix) -> ChunkSet:
        """Every chunk, duplicates included; raises DataError where a chunk is not one of its document."""
        chunks = tuple(prefix.apply(chunks_from_rows(self.rows, self.documents), self.documents))
        return ChunkSet(chunks, tuple(map(_digest, chunks_to_rows(chunks), chunks)))

    def searched(self, every: ChunkSet) -> ChunkSet:
        """The chunks that are searched: all of `every` but the duplicates whose reason still holds."""
        out = {one.chunk_id for one in self.holding(every)}
        if not out:
            return every
        kept = [pair for pair in zip(every.chunks, every.digests) if pair[0].chunk_id not in out]
        chunks = tuple(replace(chunk, number=number) for number, (chunk, _) in enumerate(kept))
        return ChunkSet(chunks, tuple(digest for _, digest in kept))

    def holding(self, every: ChunkSet) -> tuple[Duplicate, ...]:
        """The duplicates of which both chunks are still what they were."""
        now = every.by_id
        return tuple(
            one
            for one in self.duplicates
            if now.get(one.chunk_id) == one.digest and now.get(one.kept_id) == one.kept_digest
        )

    def key(self, chunk_set: str) -> str:
        """Key of the whole content."""
        documents = [hashlib.sha256(dumps(to_row(document))).hexdigest() for document in self.documents.values()]
        return quick_key("catalogue", chunk_set, documents, self.rows, self._notes())

    def write(self, folder: Path) -> None:
        """Write into an empty folder."""
        write_jsonl(folder / _DOCUMENTS, map(to_row, self.documents.values()))
        write_jsonl(folder / _CHUNKS, self.rows)
        write_json(folder / _NOTES, self._notes())

    @classmethod
    def read(cls, folder: Path) -> Catalogue:
        """The catalogue of a folder; raises DataError where a text is not the one of its hash."""
        documents = {row["doc_id"]: from_row(row) for row in read_jsonl(folder / _DOCUMENTS)}
        notes = read_json(folder / _NOTES)
        return cls(
            documents=documents,
            files={doc_id: FileRecord(**row) for doc_id, row in notes["files"].items()},
            rows=tuple(read_jsonl(folder / _CHUNKS)),
            expired={doc_id: Expired(**row) for doc_id, row in notes["expired"].items()},
            duplicates=tuple(Duplicate(**row) for row in notes["duplicates"]),
        )

    def without(self, doc_ids: Iterable[str]) -> Catalogue:
        """The catalogue without these documents and all chunks of theirs, found by `doc_id`."""
        gone = set(doc_ids)
        return replace(
            self,
            documents={doc_id: document for doc_id, document in self.documents.items() if doc_id not in gone},
            files={doc_id: record for doc_id, record in self.files.items() if doc_id not in gone},
            rows=tuple(row for row in self.rows if row["doc_id"] not in gone),
        )

    def _notes(self) -> dict[str, Any]:
        return {
            "files": {doc_id: asdict(record) for doc_id, record in self.files.items()},
            "expired": {doc_id: asdict(one) for doc_id, one in sorted(self.expired.items())},
            "duplicates": [asdict(one) for one in self.duplicates],
        }


def content_hash(document: Document) -> str:
    """Hash of all that a document is but how the bytes of its file were read (encoding, warnings)."""
    row = to_row(document)
    row["metadata"] = {key: value for key, value in document.metadata.items() if key not in OF_THE_BYTES}
    return quick_key(row)


def set_key(rows: Iterable[Sequence[str]]) -> str:
    """The chunk-set hash of `(chunk_id, digest, …)` rows in order."""
    whole = hashlib.sha256()
    for row in rows:
        whole.update(f"{row[0]}\n{row[1]}\n".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def _digest(row: Mapping[str, Any], chunk: Chunk) -> str:
    return quick_key(row, text_hash(chunk.index_text))[:32]
