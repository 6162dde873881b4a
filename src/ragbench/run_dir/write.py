"""Writing a run directory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from ragbench.core.codec import dumps, write_json, write_lines
from ragbench.core.recent import Memory, Recent
from ragbench.errors import StoreError
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Trace
from ragbench.run_dir import layout
from ragbench.run_dir.traces import TraceLines
from ragbench.splitter.chunking import chunks_to_rows

_KEPT = 1 << 25
"""Bytes of files that several runs have in common."""
_BUFFER = 1 << 18
"""Bytes of traces between two writes."""


def new_folder(root: Path, stem: str) -> Path:
    """A new folder `<stem>-<counter>` below `root`; two processes never get the same one."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        taken = [name.name.rpartition("-")[2] for name in root.glob(f"{stem}-*")]
        number = 1 + max((int(text) for text in taken if text.isdigit()), default=0)
        while True:
            folder = root / f"{stem}-{number}"
            try:
                folder.mkdir()
            except FileExistsError:
                number += 1
            else:
                return folder
    except OSError as error:
        raise StoreError(
            f"runs folder {root}: cannot be written ({error.strerror}). "
            "Set paths.runs or RAGBENCH_RUNS to a writable folder."
        ) from error


class RunWriter:
    """Writes one run: traces and verdicts as they come, everything else at the end.

    Until `finish` the manifest says `running`, so that a killed run is never taken for a whole one.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any], config: str, memory: Memory | None = None) -> None:
        self.folder = folder
        memory = memory or Memory(keep=False)
        self._lines = TraceLines(memory)
        self._files: Recent[tuple[Any, bytes]] = memory.of("files of runs", _KEPT)
        self.manifest = dict(manifest) | {"run_id": folder.name, "status": "running"}
        write_json(folder / layout.MANIFEST, self.manifest)
        (folder / layout.CONFIG).write_text(config, encoding="utf-8")
        self._traces: BinaryIO = (folder / layout.TRACES).open("wb", buffering=_BUFFER)
        self._verdicts: BinaryIO = (folder / layout.VERDICTS).open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._traces.close()
        self._verdicts.close()
        if error is not None:
            write_json(self.folder / layout.MANIFEST, self.manifest | {"status": "failed", "error": str(error)})

    def add(self, trace: Trace, verdict: Verdict | None) -> None:
        """Append one question's trace and verdict."""
        self._traces.write(self._lines.line(trace))
        if verdict is not None:
            self._verdicts.write(dumps(verdict) + b"\n")

    def add_corpus(
        self,
        questions: Sequence[Question],
        documents: Sequence[Document],
        chunks: Sequence[Chunk],
        chunk_rows: Path | None = None,
    ) -> None:
        """Write what the traces refer to; texts stay in the locked corpus, identified by hash. `chunk_rows` is a file
        that holds the rows of the chunks already, uncompressed."""
        self._write(layout.QUESTIONS, questions, lambda: questions)
        self._write(layout.DOCUMENTS, documents, lambda: map(_document_row, documents))
        if chunk_rows is None:
            self._write(layout.CHUNKS, chunks, lambda: chunks_to_rows(chunks))
        else:
            self._write(layout.CHUNKS, chunks, lambda: [chunk_rows.read_bytes()])

    def _write(self, name: str, of: Sequence[Any], rows: Callable[[], Iterable[Any]]) -> None:
        """One file of rows; that of the very same records was made for another run already."""
        key = (name, *map(id, of)) if isinstance(of, list) else (name, id(of))
        known = self._files.get(key)
        if known is not None:
            (self.folder / name).write_bytes(known[1])
            return
        write_lines(self.folder / name, _lines(rows()))
        data = (self.folder / name).read_bytes()
        self._files.put(key, (tuple(of) if isinstance(of, list) else of, data), len(data))

    def finish(self, scores: Iterable[Any], summary: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        """Write scores (rows, or lines of them in JSON) and summary, and mark the run finished; `more` is added to the
        manifest."""
        write_lines(self.folder / layout.SCORES, _lines(scores))
        write_json(self.folder / layout.SUMMARY, summary)
        self._traces.flush()
        self._verdicts.flush()
        self.manifest |= dict(more) | {"status": "finished"}
        write_json(self.folder / layout.MANIFEST, self.manifest)


def _lines(rows: Iterable[Any]) -> Iterable[bytes]:
    """Rows in JSON; bytes are lines of it already."""
    return (row if isinstance(row, bytes) else dumps(row) + b"\n" for row in rows)


def _document_row(document: Document) -> dict[str, Any]:
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "doc_type": document.doc_type,
        "characters": len(document.text),
        "content_hash": document.content_hash,
    }
