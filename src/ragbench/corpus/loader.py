"""A folder of files as documents."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from ragbench.core.fingerprint import text_hash
from ragbench.core.stage import Stage
from ragbench.corpus.normalise import normalise
from ragbench.corpus.parsed import Parsed
from ragbench.corpus.scan import scan
from ragbench.corpus.structure import structure
from ragbench.errors import DataError, RagbenchError
from ragbench.records.document import Document, Heading

LOADERS = {
    ".md": "load_md",
    ".markdown": "load_md",
    ".txt": "load_text",
    ".text": "load_text",
    ".log": "load_text",
    ".html": "load_html",
    ".htm": "load_html",
    ".xhtml": "load_html",
    ".json": "load_json",
    ".docx": "load_docx",
    ".pdf": "load_pdf",
}
_MAX_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class LoadedCorpus:
    """What a folder held.

    `documents` ascend by `doc_id`. `failures` are `(path, reason)` of files that could not be read, `skipped` the
    paths of unknown or hidden files, `empty` those of files without text; all paths are relative to the folder.
    """

    documents: tuple[Document, ...]
    failures: tuple[tuple[str, str], ...] = ()
    skipped: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CorpusLoader(Stage):
    """Loads Markdown, text, HTML, JSON, DOCX and PDF files and normalises their text."""

    VERSION: ClassVar[int] = 1
    LIBRARIES: ClassVar[tuple[str, ...]] = (
        "charset-normalizer",
        "markdown-it-py",
        "pypdf",
        "python-docx",
        "pyyaml",
        "selectolax",
    )

    def load(self, folder: Path) -> LoadedCorpus:
        """Every document under `folder`, sub-folders included, whatever the order of the file system.

        A file that fails is reported and the rest go on.

        Raises:
            DataError: no such folder, or no usable document in it.
        """
        found = scan(folder, LOADERS)
        documents, failures, empty = [], list(found.failures), []
        for doc_id, path in found.files:
            try:
                document = load_file(doc_id, path)
            except Exception as error:  # whatever a parser raises on a hostile file must not end the load
                failures.append((doc_id, _reason(error)))
                continue
            if document.text:
                documents.append(document)
            else:
                empty.append(doc_id)
        loaded = LoadedCorpus(tuple(documents), tuple(sorted(failures)), found.skipped, tuple(empty))
        if not documents:
            raise _nothing(folder, loaded)
        return loaded


def raw_hashes(folder: Path) -> dict[str, str]:
    """`sha256:` + hex of the bytes of each file that `CorpusLoader.load` would read, by `doc_id` in ascending order.

    A file that cannot be read has `unreadable` in place of a hash.

    Raises:
        DataError: no such folder.
    """
    hashes = {}
    for doc_id, path in scan(folder, LOADERS).files:
        try:
            with path.open("rb") as handle:
                hashes[doc_id] = "sha256:" + hashlib.file_digest(handle, "sha256").hexdigest()
        except OSError:
            hashes[doc_id] = "unreadable"
    return hashes


def load_file(doc_id: str, path: Path) -> Document:
    """One file as a document; its text is empty when the file holds none.

    Raises:
        DataError: the file cannot be read or is too large.
    """
    size = path.stat().st_size
    if size > _MAX_BYTES:
        raise DataError(doc_id, expected=f"at most {_MAX_BYTES // 1_000_000} MB", found=f"{size // 1_000_000} MB")
    name = LOADERS[PurePosixPath(doc_id).suffix.lower()]
    parse: Callable[[bytes], Parsed] = getattr(importlib.import_module(f"ragbench.corpus.{name}"), name)
    return make_document(doc_id, parse(path.read_bytes()), source=path.name)


def make_document(doc_id: str, parsed: Parsed, *, source: str = "") -> Document:
    """Normalise what a loader read, join its pages and find its outline."""
    texts: list[str] = []
    pages: list[tuple[int, int]] = []
    position = 0
    for part, page in parsed.parts:
        text = normalise(part, collapse=parsed.collapse)
        if not text:
            continue
        if page is not None:
            pages.append((position, page))
        texts.append(text)
        position += len(text) + 1
    text = "\n".join(texts)
    outline = structure(text).outline if parsed.structured else ()
    return Document(
        doc_id=doc_id,
        text=text,
        doc_type=parsed.doc_type,
        content_hash=text_hash(text),
        source=source or doc_id,
        title=normalise(parsed.title) or _first_title(outline),
        metadata=dict(parsed.metadata),
        outline=outline,
        pages=tuple(pages),
    )


def _first_title(outline: tuple[Heading, ...]) -> str:
    return next((heading.title for heading in outline if heading.level == 1), "")


def _reason(error: Exception) -> str:
    if isinstance(error, RagbenchError):
        return str(error)
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or type(error).__name__}"
    return f"cannot be parsed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _nothing(folder: Path, loaded: LoadedCorpus) -> DataError:
    counts = (("failed", loaded.failures), ("empty", loaded.empty), ("of unknown kind", loaded.skipped))
    found = ", ".join(f"{len(files)} {name}" for name, files in counts if files) or "no files"
    first = f"{loaded.failures[0][0]}: {loaded.failures[0][1]} " if loaded.failures else ""
    hint = f"{first}Known kinds: {' '.join(sorted(LOADERS))}"
    return DataError(f"corpus {folder}", expected="at least one document with text", found=found, hint=hint)
