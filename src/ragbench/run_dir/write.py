"""Writing a run directory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from ragbench.core.codec import dumps, write_json, write_jsonl
from ragbench.errors import StoreError
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Trace
from ragbench.run_dir import layout
from ragbench.run_dir.traces import trace_row
from ragbench.splitter.chunking import chunks_to_rows


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

    def __init__(self, folder: Path, manifest: Mapping[str, Any], config: str) -> None:
        self.folder = folder
        self.manifest = dict(manifest) | {"run_id": folder.name, "status": "running"}
        write_json(folder / layout.MANIFEST, self.manifest)
        (folder / layout.CONFIG).write_text(config, encoding="utf-8")
        self._traces: BinaryIO = (folder / layout.TRACES).open("wb")
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
        self._traces.write(dumps(trace_row(trace)) + b"\n")
        if verdict is not None:
            self._verdicts.write(dumps(verdict) + b"\n")

    def add_corpus(self, questions: Sequence[Question], documents: Sequence[Document], chunks: Sequence[Chunk]) -> None:
        """Write what the traces refer to; texts stay in the locked corpus, identified by hash."""
        write_jsonl(self.folder / layout.QUESTIONS, questions)
        write_jsonl(self.folder / layout.DOCUMENTS, map(_document_row, documents))
        write_jsonl(self.folder / layout.CHUNKS, chunks_to_rows(chunks))

    def finish(self, scores: Iterable[Any], summary: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        """Write scores and summary, and mark the run finished; `more` is added to the manifest."""
        write_jsonl(self.folder / layout.SCORES, scores)
        write_json(self.folder / layout.SUMMARY, summary)
        self._traces.flush()
        self._verdicts.flush()
        self.manifest |= dict(more) | {"status": "finished"}
        write_json(self.folder / layout.MANIFEST, self.manifest)


def _document_row(document: Document) -> dict[str, Any]:
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "doc_type": document.doc_type,
        "characters": len(document.text),
        "content_hash": document.content_hash,
    }
