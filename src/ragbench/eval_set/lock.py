"""Freezing an eval set: LOCK holds the hash of every file and of every document's text."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, write_json
from ragbench.core.fingerprint import fingerprint
from ragbench.corpus.kinds import LOADERS
from ragbench.corpus.loader import CorpusLoader
from ragbench.corpus.scan import scan
from ragbench.errors import DataError, Problems
from ragbench.eval_set.source import CORPUS, LOCK, QUESTIONS
from ragbench.records.document import Document

FROZEN = "A frozen set is never edited: copy it to a new version and lock that."


@dataclass(frozen=True, slots=True)
class LockState:
    """How a set stands to its LOCK.

    `lock` identifies the content a run was made on: results are comparable only when it is equal. `frozen` says
    whether a LOCK file exists. `text_differs` lists documents whose text is not the locked one (another loader or
    library version); they change `lock`.
    """

    lock: str
    frozen: bool
    text_differs: tuple[str, ...] = ()


def write_lock(folder: Path, loader: CorpusLoader, documents: Sequence[Document]) -> str:
    """Freeze a set and return its lock; refuses to overwrite another content's LOCK."""
    content = _content(folder, loader, documents)
    path = folder / LOCK
    if path.exists() and read_json(path)["lock"] != content["lock"]:
        raise DataError(
            str(path),
            expected="no LOCK, or one of this very content",
            found="another content was frozen under this version",
            hint="Save the changed set as a new version folder.",
        )
    write_json(path, content)
    return str(content["lock"])


def check_lock(folder: Path, documents: Sequence[Document], problems: list[str] | None = None) -> LockState:
    """Compare a set with its LOCK.

    Raises Problems when a frozen file was changed, added or removed, or LOCK itself was edited; with `problems` given
    they are added to it instead.
    """
    path = folder / LOCK
    files = _files(folder)
    if not path.exists():
        loaded = {document.doc_id for document in documents}
        unread = {doc_id for doc_id, _ in scan(folder / CORPUS, LOADERS).files} - loaded
        return LockState(_identity(files, dict.fromkeys(unread, "missing")), frozen=False)
    locked_files, texts, found = _read(path)
    found += _changes(locked_files, files)
    if problems is not None:
        problems += found
    elif found:
        raise Problems(f"frozen eval set {folder}", found, FROZEN)
    differing = {d.doc_id: d.content_hash for d in documents if texts.get(d.doc_id) != d.content_hash}
    differing |= dict.fromkeys(texts.keys() - {d.doc_id for d in documents}, "missing")
    return LockState(_identity(files, differing), frozen=True, text_differs=tuple(sorted(differing)))


def _read(path: Path) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Files and texts of a LOCK, and what is wrong with it."""
    try:
        locked = read_json(path)
        files, texts = dict(locked["files"]), dict(locked["texts"])
        edited = locked["lock"] != _identity(files, {})
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(str(path), expected="a LOCK written by ragbench eval-set lock", found=str(error)) from error
    return files, texts, [f"{LOCK} was edited by hand"] if edited else []


def _content(folder: Path, loader: CorpusLoader, documents: Sequence[Document]) -> dict[str, Any]:
    files = _files(folder)
    return {
        "lock": _identity(files, {}),
        "files": files,
        "loader": loader.recipe(),
        "texts": {document.doc_id: document.content_hash for document in documents},
    }


def _files(folder: Path) -> dict[str, str]:
    """Hash of the questions and of every file of the corpus, whether it can be loaded or not, but for hidden ones."""
    corpus = folder / CORPUS
    paths = ((path.relative_to(corpus), path) for path in corpus.rglob("*") if path.is_file())
    names = {
        unicodedata.normalize("NFC", name.as_posix()): path
        for name, path in paths
        if not any(part.startswith(".") for part in name.parts)
    }
    hashes = {QUESTIONS: _sha256(folder / QUESTIONS)}
    return hashes | {f"{CORPUS}/{name}": _sha256(path) for name, path in sorted(names.items())}


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror}"


def _identity(files: Mapping[str, str], differing: Mapping[str, str]) -> str:
    return "sha256:" + fingerprint("lock", files, differing)


def _changes(locked: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    changed = [f"{name} was changed" for name in sorted(locked.keys() & found.keys()) if locked[name] != found[name]]
    gone = [f"{name} is missing" for name in sorted(locked.keys() - found.keys())]
    new = [f"{name} was added" for name in sorted(found.keys() - locked.keys())]
    return changed + gone + new
