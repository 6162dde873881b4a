"""Freezing an eval set: LOCK holds the hash of every file and of every document's text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, write_json
from ragbench.core.fingerprint import fingerprint
from ragbench.corpus.loader import CorpusLoader, raw_hashes
from ragbench.errors import DataError, Problems
from ragbench.eval_set.source import CORPUS, LOCK, QUESTIONS
from ragbench.records.document import Document


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


def check_lock(folder: Path, documents: Sequence[Document]) -> LockState:
    """Compare a set with its LOCK; raises Problems when a frozen file was changed, added or removed."""
    path = folder / LOCK
    files = _files(folder)
    if not path.exists():
        return LockState(_identity(files, {}), frozen=False)
    try:
        locked = read_json(path)
        locked_files, texts = locked["files"], locked["texts"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(str(path), expected="a LOCK written by ragbench eval-set lock", found=str(error)) from error
    problems = _changes(locked_files, files)
    if problems:
        raise Problems(
            f"frozen eval set {folder}",
            problems,
            "A frozen set is never edited: copy it to a new version and lock that.",
        )
    differing = {d.doc_id: d.content_hash for d in documents if texts.get(d.doc_id) != d.content_hash}
    differing |= dict.fromkeys(texts.keys() - {d.doc_id for d in documents}, "missing")
    return LockState(_identity(files, differing), frozen=True, text_differs=tuple(sorted(differing)))


def _content(folder: Path, loader: CorpusLoader, documents: Sequence[Document]) -> dict[str, Any]:
    files = _files(folder)
    return {
        "lock": _identity(files, {}),
        "files": files,
        "loader": loader.recipe(),
        "texts": {document.doc_id: document.content_hash for document in documents},
    }


def _files(folder: Path) -> dict[str, str]:
    questions = hashlib.sha256((folder / QUESTIONS).read_bytes()).hexdigest()
    return {QUESTIONS: questions} | {
        f"{CORPUS}/{name}": digest for name, digest in sorted(raw_hashes(folder / CORPUS).items())
    }


def _identity(files: Mapping[str, str], differing: Mapping[str, str]) -> str:
    return "sha256:" + fingerprint("lock", files, differing)


def _changes(locked: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    changed = [f"{name} was changed" for name in sorted(locked.keys() & found.keys()) if locked[name] != found[name]]
    gone = [f"{name} is missing" for name in sorted(locked.keys() - found.keys())]
    new = [f"{name} was added" for name in sorted(found.keys() - locked.keys())]
    return changed + gone + new
