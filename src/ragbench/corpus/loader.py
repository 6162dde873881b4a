"""A folder of files as documents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ragbench.core.fingerprint import text_hash
from ragbench.core.stage import Stage
from ragbench.corpus import code_grammars
from ragbench.corpus.combining import MAX_MARKS, long_runs
from ragbench.corpus.kinds import LOADERS, loader_of
from ragbench.corpus.limits import max_bytes
from ragbench.corpus.normalise import normalise
from ragbench.corpus.parsed import Parsed
from ragbench.corpus.scan import scan
from ragbench.corpus.structure import outline_of
from ragbench.errors import DataError, RagbenchError
from ragbench.records.document import Document, Heading

# Called before each file with the bytes read so far, the bytes in all, and the file's id.
Progress = Callable[[int, int, str], None]


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
    """Loads the files of a folder whose kind is known (`kinds.LOADERS`) and normalises their text."""

    VERSION: ClassVar[int] = 6
    LIBRARIES: ClassVar[tuple[str, ...]] = (
        "charset-normalizer",
        "lxml",
        "markdown-it-py",
        "pypdf",
        "pypdfium2",
        "pyyaml",
        "selectolax",
        *code_grammars.LIBRARIES,
    )

    def load(self, folder: Path, progress: Progress | None = None) -> LoadedCorpus:
        """Every document under `folder`, sub-folders included, whatever the order of the file system.

        A file that fails is reported and the rest go on.

        Raises:
            DataError: no such folder, or no usable document in it.
        """
        loaded = self.read(folder, progress)
        if not loaded.documents:
            raise _nothing(folder, loaded)
        return loaded

    def read(self, folder: Path, progress: Progress | None = None) -> LoadedCorpus:
        """The same, but a folder without a usable document is no error; raises DataError when there is no folder."""
        found = scan(folder, LOADERS)
        documents, failures, empty = [], list(found.failures), []
        sizes = [_size(path) for _, path in found.files]
        done = 0
        for size, (doc_id, path) in zip(sizes, found.files):
            if progress is not None:
                progress(done, sum(sizes), doc_id)
            done += size
            try:
                document = load_file(doc_id, path)
            except Exception as error:  # whatever a parser raises on a hostile file must not end the load
                failures.append((doc_id, _reason(error)))
                continue
            if document.text:
                documents.append(document)
            else:
                empty.append(doc_id)
        return LoadedCorpus(tuple(documents), tuple(sorted(failures)), found.skipped, tuple(empty))


def warnings_of(documents: Iterable[Document]) -> list[tuple[str, str]]:
    """`(doc_id, warning)` of everything the loaders warned of, in order."""
    return [(document.doc_id, str(said)) for document in documents for said in document.metadata.get("warnings", ())]


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
        DataError: the file cannot be read or is larger than its kind may be.
    """
    return make_document(doc_id, loader_of(doc_id)(_bytes(doc_id, path)), source=path.name)


def _bytes(doc_id: str, path: Path) -> bytes:
    limit = max_bytes(doc_id)
    size = min(_size(path), limit)
    with path.open("rb") as handle:
        data = handle.read(size + 1)  # room for `limit` bytes takes longer to set aside than a document to read
        if len(data) > size:
            data += handle.read(limit + 1 - len(data))
    if len(data) > limit:
        found = f"{max(_size(path), len(data)) // 2**20} MiB"
        raise DataError(
            doc_id, expected=f"at most {limit // 2**20} MiB", found=found, hint="Split it into smaller files."
        )
    return data


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def make_document(doc_id: str, parsed: Parsed, *, source: str = "") -> Document:
    """Normalise what a loader read, join its pages and find its outline.

    What the loader warned of is the list `metadata["warnings"]`, absent where there is nothing to tell.
    """
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
        position += len(text) + len(parsed.joint)
    text = parsed.joint.join(texts)
    outline = outline_of(text) if parsed.structured else parsed.outline
    metadata = dict(parsed.metadata)
    lost = text.count("\ufffd")
    undecoded = [f"{lost} character{'s' * (lost > 1)} could not be decoded (U+FFFD)"] if lost else []
    n_runs = long_runs(text)
    runs = f"{n_runs} run{'s' * (n_runs > 1)} of more than {MAX_MARKS} combining marks"
    warnings = [*parsed.warnings, *undecoded, *([f"{runs}: parted by U+034F"] if n_runs else [])]
    if warnings:
        metadata["warnings"] = warnings
    return Document(
        doc_id=doc_id,
        text=text,
        doc_type=parsed.doc_type,
        content_hash=text_hash(text),
        source=source or doc_id,
        title=normalise(parsed.title) or (_first_title(outline) if parsed.structured else ""),
        metadata=metadata,
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
