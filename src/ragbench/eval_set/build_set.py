"""From a draft to a folder: files written, evidence placed, set checked, datasheet and LOCK added, all or nothing."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.core.codec import write_json, write_jsonl
from ragbench.corpus.loader import CorpusLoader, LoadedCorpus
from ragbench.errors import DataError, Problems
from ragbench.eval_set.datasheet import datasheet
from ragbench.eval_set.draft import Draft, ImportRequest
from ragbench.eval_set.draft_rows import placed_rows
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.load import load_eval_set
from ragbench.eval_set.lock import write_lock
from ragbench.eval_set.original_ids import write_original_ids
from ragbench.eval_set.place import Placer
from ragbench.eval_set.source import CORPUS, IMPORTED, QUESTIONS
from ragbench.records.document import Document

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What an import made. `lock` is None for a corpus without questions."""

    format: str
    folder: Path
    documents: int
    rows: tuple[Row, ...]
    ledger: Ledger
    lock: str | None

    def facts(self) -> dict[str, Any]:
        """Plain data, the counts first; reasons with at most ten ids each (all are in IMPORTED)."""
        items = [item for row in self.rows for item in row["evidence"]]
        return {
            "format": self.format,
            "folder": str(self.folder),
            "documents": self.documents,
            "questions": len(self.rows),
            "unanswerable": sum(not row["answerable"] for row in self.rows),
            "evidence": len(items),
            "groups": sum(len({item["group"] for item in row["evidence"]}) for row in self.rows),
            **{f"by_{name}": _tally(self.rows, name) for name in ("category", "language", "split")},
            **{kind: self.ledger.count(kind) for kind in ("repaired", "dropped", "rejected", "unread", "noted")},
            "reasons": self.ledger.reasons(),
            "lock": self.lock,
        }


def build_set(
    name: str, draft: Draft, request: ImportRequest, target: Path, ledger: Ledger, *, force: bool = False
) -> ImportReport:
    """Write the draft as an eval set into `target`, which appears whole or not at all.

    Questions whose evidence cannot be placed are rejected in the ledger. Rows keep the draft's order.

    Raises:
        DataError: `target` exists and `force` is not given, or it was not made by an import.
        Problems: not one document, or not one question of a draft that has some, can be used.
    """
    check_target(target, force=force)
    _refuse_nothing(request, draft.files, "documents", ledger)
    with _staged(target) as folder:
        _write_files(folder / CORPUS, draft)
        loaded = _loaded(folder / CORPUS, request)
        for path, reason in (*loaded.failures, *((path, "without text") for path in loaded.empty)):
            ledger.add("unread", f"the file cannot be used: {reason}", path)
        documents = {document.doc_id: document for document in loaded.documents}
        raw = {file.name: file.raw for file in draft.files if file.raw is not None}
        rows = list(placed_rows(draft, request, Placer(documents, raw, draft.every_place), ledger))
        if not draft.needs_questions:
            _refuse_nothing(request, rows, "questions", ledger)
        write_jsonl(folder / QUESTIONS, rows)
        write_original_ids(folder, draft.original_ids)
        _write_origin(folder, name, request, ledger)
        lock = None if draft.needs_questions else _frozen(folder, loaded.documents)
        made = ImportReport(
            format=name, folder=target, documents=len(documents), rows=tuple(rows), ledger=ledger, lock=lock
        )
        (folder / "DATASHEET.md").write_text(datasheet(draft, request, made.facts()), encoding="utf-8")
    return made


def check_target(target: Path, *, force: bool) -> None:
    """Refuse to write over anything but, with `force`, a set that an import made."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise DataError(str(target), expected="a new folder", found="a file or a link", hint="Choose another name.")
    if not target.exists() or not any(target.iterdir()):
        return
    if not force:
        hint = "Choose another name, or replace it with --force."
        raise DataError(str(target), expected="a new folder", found="an existing one", hint=hint)
    if not (target / IMPORTED).is_file():
        found = f"one without {IMPORTED}, which --force does not replace"
        raise DataError(str(target), expected="a set made by an import", found=found, hint="Choose another name.")


def _refuse_nothing(request: ImportRequest, found: Collection[object], what: str, ledger: Ledger) -> None:
    if found:
        return
    reasons = ledger.lines()
    raise Problems(f"no {what} in {_names(request)} can be used", reasons or [f"there are no {what} at all"])


def _names(request: ImportRequest) -> str:
    return ", ".join(str(path) for path in request.sources)


@contextmanager
def _staged(target: Path) -> Iterator[Path]:
    """A hidden folder beside the target that takes its place at the end; nothing remains after an error."""
    made = [folder for folder in target.parents if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        (staging / "new" / CORPUS).mkdir(parents=True)
        yield staging / "new"
        _exchange(staging, target)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        with suppress(OSError):  # another import may have put something there by now
            for folder in made:
                folder.rmdir()
        raise
    shutil.rmtree(staging, ignore_errors=True)


def _exchange(staging: Path, target: Path) -> None:
    """Put the new folder in the place of the old one, which comes back if that fails."""
    if target.exists():
        target.replace(staging / "old")
    try:
        (staging / "new").replace(target)
    except OSError:
        if (staging / "old").exists():
            (staging / "old").replace(target)
        raise


def _write_files(corpus: Path, draft: Draft) -> None:
    for file in draft.files:
        path = corpus / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)


def _loaded(corpus: Path, request: ImportRequest) -> LoadedCorpus:
    """The documents as a run will see them; that there are none is said of the sources."""
    try:
        return CorpusLoader().load(corpus)
    except DataError as error:
        raise DataError(_names(request), expected="documents with text", found="none", hint=error.hint) from error


def _write_origin(folder: Path, name: str, request: ImportRequest, ledger: Ledger) -> None:
    """The file that marks an imported set: its format, its sources with their hashes, every id of the ledger."""
    sources = [{"name": path.name, "sha256": source_hash(path)} for path in request.sources]
    options: dict[str, Any] = {"language": request.language, "unit": request.unit, "columns": dict(request.columns)}
    if request.collection is not None:
        options["collection"] = request.collection
    facts = {"format": name, "file": request.sources[0].name, "sources": sources, "options": options}
    write_json(folder / IMPORTED, facts | {"reasons": ledger.reasons(None)})


def source_hash(path: Path) -> str:
    """SHA-256 of a file's bytes; of a folder, that of its files' paths and hashes in order."""
    if path.is_file():
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    files = sorted((one.relative_to(path).as_posix(), one) for one in path.rglob("*") if one.is_file())
    lines = "".join(f"{name}\0{source_hash(one)}\n" for name, one in files)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _frozen(folder: Path, documents: Sequence[Document]) -> str:
    """Read the set back as a run does, and lock it."""
    load_eval_set((folder.name, "v0"), folder, documents)
    return write_lock(folder, CorpusLoader(), documents)


def _tally(rows: Sequence[Row], name: str) -> dict[str, int]:
    return dict(sorted(Counter(str(row[name]) for row in rows).items()))
