"""What has changed in a folder since its index was last updated: new, modified, unchanged, deleted, by content."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ragbench.corpus.kinds import LOADERS
from ragbench.corpus.loader import load_file
from ragbench.corpus.scan import Scan, scan
from ragbench.errors import RagbenchError
from ragbench.records.document import Document
from ragbench.upkeep.catalogue import Catalogue, Expired, FileRecord, content_hash

Status = Literal["new", "modified", "unchanged", "deleted", "stale", "expired"]
STATUSES: tuple[Status, ...] = ("new", "modified", "unchanged", "deleted", "stale", "expired")


@dataclass(frozen=True, slots=True)
class Change:
    """One document: what happens to it, and why where that is not plain."""

    doc_id: str
    status: Status
    reason: str = ""


@dataclass(frozen=True)
class Plan:
    """What an update would do.

    `documents` are those read because their file is new or has other bytes, `files` the records of all documents that
    the index will hold. `failures` are `(path, reason)` of files that are not in the index and cannot be read;
    `skipped` and `empty` are as in `LoadedCorpus`.
    """

    changes: tuple[Change, ...]
    documents: Mapping[str, Document] = field(default_factory=dict)
    files: Mapping[str, FileRecord] = field(default_factory=dict)
    expired: Mapping[str, Expired] = field(default_factory=dict)
    failures: tuple[tuple[str, str], ...] = ()
    skipped: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()

    def of(self, *statuses: Status) -> list[str]:
        """Ids of the documents with one of these statuses, ascending."""
        return [change.doc_id for change in self.changes if change.status in statuses]

    @property
    def counts(self) -> dict[str, int]:
        """Documents by status, and files that are not documents."""
        found = Counter(change.status for change in self.changes)
        others = {"failed": len(self.failures), "skipped": len(self.skipped), "empty": len(self.empty)}
        return {status: found[status] for status in STATUSES} | others

    @property
    def deletes(self) -> bool:
        """Whether a document would go."""
        return bool(self.of("deleted"))


def plan_update(folder: Path, catalogue: Catalogue) -> Plan:
    """Compare a folder with the catalogue of its index. Only files whose bytes are new are parsed.

    A file with other bytes and the same document (touched, saved again, in another encoding) is unchanged. A file that
    was indexed and cannot be read now is `stale`: its document stays as it was until the file can be read, or is gone.
    One that holds no text any more counts as deleted.

    Raises:
        DataError: no such folder.
    """
    return _Comparison(folder, catalogue, scan(folder, LOADERS)).plan()


class _Comparison:
    def __init__(self, folder: Path, catalogue: Catalogue, found: Scan) -> None:
        self._folder = folder
        self._old = catalogue
        self._scan = found
        self._changes: list[Change] = []
        self._documents: dict[str, Document] = {}
        self._files: dict[str, FileRecord] = {}
        self._expired: dict[str, Expired] = {}
        self._failures: list[tuple[str, str]] = []
        self._empty: list[str] = []

    def plan(self) -> Plan:
        for doc_id, path in self._scan.files:
            self._file(doc_id, path)
        for path_text, reason in self._scan.failures:
            self._failed(path_text, reason)
        seen = self._files.keys() | {change.doc_id for change in self._changes}
        for doc_id in self._old.files.keys() - seen:
            unreachable = _unreachable(self._folder / doc_id)
            if unreachable:
                self._failed(doc_id, unreachable)
            else:
                self._changes.append(Change(doc_id, "deleted"))
        self._changes.sort(key=lambda change: change.doc_id)
        return Plan(
            changes=tuple(self._with_renames()),
            documents=self._documents,
            files=dict(sorted(self._files.items())),
            expired=self._expired,
            failures=tuple(sorted(self._failures)),
            skipped=self._scan.skipped,
            empty=tuple(self._empty),
        )

    def _file(self, doc_id: str, path: Path) -> None:
        known, out = self._old.files.get(doc_id), self._old.expired.get(doc_id)
        try:
            record = _record(path)
            if known and known.raw == record.raw:
                self._keep(doc_id, record, "")
            elif out and out.raw == record.raw:
                self._leave_out(doc_id, out)
            else:
                self._read(doc_id, path, record)
        except Exception as error:  # whatever a parser raises on a hostile file must not end the update
            self._failed(doc_id, _reason(error))

    def _read(self, doc_id: str, path: Path, record: FileRecord) -> None:
        document = load_file(doc_id, path)
        before, out = self._old.documents.get(doc_id), self._old.expired.get(doc_id)
        if not document.text:
            self._empty.append(doc_id)
            if before:
                self._changes.append(Change(doc_id, "deleted", "the file holds no text any more"))
        elif before and content_hash(before) == content_hash(document):
            self._documents[doc_id] = document
            self._keep(doc_id, record, "same text in other bytes")
        elif not before and out and out.content == content_hash(document):
            self._leave_out(doc_id, replace(out, raw=record.raw))
        else:
            self._documents[doc_id], self._files[doc_id] = document, record
            same = before and before.text == document.text
            reason = "same text; title, headings or metadata changed" if same else ""
            self._changes.append(Change(doc_id, "modified" if before else "new", reason))

    def _keep(self, doc_id: str, record: FileRecord, reason: str) -> None:
        self._files[doc_id] = record
        self._changes.append(Change(doc_id, "unchanged", reason))

    def _leave_out(self, doc_id: str, out: Expired) -> None:
        self._expired[doc_id] = out
        self._changes.append(Change(doc_id, "expired", f"dated {out.day}; comes back when it changes"))

    def _failed(self, doc_id: str, reason: str) -> None:
        known, out = self._old.files.get(doc_id), self._old.expired.get(doc_id)
        if known:
            self._files[doc_id] = replace(known, stale=reason)
            self._changes.append(Change(doc_id, "stale", reason))
        elif out:
            self._leave_out(doc_id, out)
        else:
            self._failures.append((doc_id, reason))

    def _with_renames(self) -> Iterator[Change]:
        """A new document with the text of a deleted one says so; nothing else follows from it."""
        gone = {
            self._old.documents[change.doc_id].content_hash: change.doc_id
            for change in reversed(self._changes)
            if change.status == "deleted"
        }
        came = {
            gone[self._documents[change.doc_id].content_hash]: change.doc_id
            for change in reversed(self._changes)
            if change.status == "new" and self._documents[change.doc_id].content_hash in gone
        }
        went = {new: old for old, new in came.items()}
        for change in self._changes:
            if change.doc_id in came and change.status == "deleted" and not change.reason:
                yield replace(change, reason=f"renamed to {came[change.doc_id]}")
            elif change.doc_id in went and change.status == "new":
                yield replace(change, reason=f"renamed from {went[change.doc_id]}")
            else:
                yield change


def _record(path: Path) -> FileRecord:
    changed = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
    with path.open("rb") as handle:
        return FileRecord("sha256:" + hashlib.file_digest(handle, "sha256").hexdigest(), changed.date().isoformat())


def _unreachable(path: Path) -> str:
    """Why a file that was not listed may be there all the same: its folder cannot be listed. Empty: it is gone."""
    try:
        with os.scandir(path.parent):
            return ""
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"its folder cannot be read: {error.strerror or type(error).__name__}"


def _reason(error: Exception) -> str:
    if isinstance(error, RagbenchError):
        return str(error)
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or type(error).__name__}"
    return f"cannot be parsed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
