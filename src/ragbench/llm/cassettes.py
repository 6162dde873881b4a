"""Recorded replies as text that people can read and review: JSON Lines, one entry a line, sorted by key."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from filelock import FileLock

from ragbench.assets import shipped
from ragbench.core.rows import from_row, to_row
from ragbench.errors import DataError, RagbenchError
from ragbench.llm.base import ChatRequest, Reply
from ragbench.llm.request_key import first_words, request_row

FOLDER = "cassettes"
_WRITE_EVERY = 8
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def recordings_key(folder: str) -> str:
    """Hash of everything that a replay may read: the shipped recordings and those of a folder."""
    found = hashlib.sha256()
    for path in _files(folder):
        found.update(path.read_bytes())
    return found.hexdigest()


def _files(folder: str | Path) -> list[Path]:
    """The shipped recordings, then those of a folder, which win."""
    return [path for place in (shipped(FOLDER), Path(folder)) for path in sorted(place.glob("*.jsonl"))]


class MissingEntry(RagbenchError):
    """The cassettes hold no reply to a request. No UserError, so that no stage falls back for it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A reply with what was asked: `name` and `recipe` are the model's."""

    key: str
    role: str
    name: str
    recipe: Mapping[str, Any]
    request: ChatRequest
    reply: Reply

    def row(self) -> dict[str, Any]:
        """The entry as plain data, in the order that reads best."""
        return {
            "key": self.key,
            "role": self.role,
            "prompt": self.request.prompt,
            "request": request_row(self.request) | {"sample": self.request.sample},
            "reply": to_row(self.reply),
            "model": dict(self.recipe),
        }


class Cassettes:
    """The recorded replies of a folder, then of those that are shipped; threads may share it.

    New entries go to `<role>.<model>.jsonl` of the folder, merged with what it holds, under a lock: several processes
    may record at a time, and a recording that was broken off goes on where it was.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._lock = Lock()
        self._known: dict[str, Mapping[str, Any]] | None = None
        self._new: dict[str, dict[str, dict[str, Any]]] = {}

    def reply(self, key: str, role: str, request: ChatRequest) -> Reply:
        """The recorded reply. Raises MissingEntry naming the request, and how it is recorded."""
        found = self.found(key)
        if found is None:
            prompt = f" (prompt {request.prompt})" if request.prompt else ""
            raise MissingEntry(
                f"replay of a {role} call{prompt}: expected an entry in the cassettes of {self._folder}, found none "
                f"for {first_words(request)!r}, sample {request.sample}, key {key[:16]}. Record it with the same "
                "command and calls.mode=record (RAGBENCH_LLM=record)."
            )
        return found

    def found(self, key: str) -> Reply | None:
        """The reply recorded when the first one was looked up; None where there is none."""
        with self._lock:
            if self._known is None:
                self._known = self._read()
            row = self._known.get(key)
        return None if row is None else from_row(Reply, row["reply"])

    def add(self, entry: Entry) -> None:
        """Keep an entry for its file; files are written every few entries and by `flush`."""
        name = f"{entry.role}.{_NO_NAME.sub('-', entry.name)}.jsonl"
        with self._lock:
            new = self._new.setdefault(name, {})
            new[entry.key] = entry.row()
            full = len(new) >= _WRITE_EVERY
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what was added."""
        with self._lock:
            new, self._new = self._new, {}
            for name, rows in new.items():
                self._folder.mkdir(parents=True, exist_ok=True)
                path = self._folder / name
                with FileLock(f"{path}.lock"):
                    held = {row["key"]: row for row in _rows(path)} if path.exists() else {}
                    _write(path, {**held, **{key: row for key, row in rows.items() if not _says(held.get(key), row)}})

    def _read(self) -> dict[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        for path in _files(self._folder):
            found.update((row["key"], row) for row in _rows(path))
        return found


def _says(held: Mapping[str, Any] | None, row: Mapping[str, Any]) -> bool:
    """Whether an entry holds this reply already, be it in the form of an older release: its line stays as it is."""
    return held is not None and from_row(Reply, held["reply"]) == from_row(Reply, row["reply"])


def _rows(path: Path) -> list[Mapping[str, Any]]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            sound = isinstance(row["key"], str) and isinstance(row["reply"], dict)
        except (ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            raise DataError(f"{path} line {number}", expected="a recorded reply with its key", found=repr(line[:80]))
        rows.append(row)
    return rows


def _write(path: Path, rows: Mapping[str, Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(rows[key], ensure_ascii=False) + "\n" for key in sorted(rows))
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text.encode("utf-8", "replace").decode("utf-8"), encoding="utf-8")
    temporary.replace(path)
