"""The folder of a stored index: its parts, its lock, and the journal of a change under way.

`index.json` says what it is made with. The catalogue and each side are artifacts of a store in this folder, which
commits them whole and keeps a hash of every file; `heads/<part>.json` names the artifact that counts and the hash of
its chunk set, and is replaced in one step.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ragbench.core.codec import dumps, read_json
from ragbench.core.store import Store, fault
from ragbench.errors import DataError

FORMAT = 1
CATALOGUE = "catalogue"
READER = ".reading-"
"""How the private folder of a reader begins; one that is a day old is of a process that was killed."""
_DAY = 86400
_SETTINGS, _JOURNAL, _HOLDER = "index.json", "journal.json", "holder.json"


@dataclass(frozen=True)
class Settings:
    """What an index is made with: the folder of its documents, the overrides of its variant, and their recipe."""

    folder: str
    overrides: tuple[str, ...]
    recipe: Mapping[str, Any]


@dataclass(frozen=True)
class Head:
    """The artifact that counts as a part of the index, and the hash of the chunk set that it holds."""

    key: str
    chunk_set: str
    n_chunks: int


class LiveFolder:
    """A stored index on disk. Making the object touches nothing."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def exists(self) -> bool:
        """Whether an index has been begun here."""
        return (self.root / _SETTINGS).is_file()

    @property
    def mend(self) -> str:
        """The command that brings the index to its folder."""
        return f"ragbench index update --index {self.root}"

    @cached_property
    def store(self) -> Store:
        """The store of the parts; makes the folder."""
        return Store(self.root)

    def settings(self) -> Settings:
        """What the index is made with; raises DataError where there is none, or one of another format."""
        row = _read(self.root / _SETTINGS)
        if row is None or row.get("format") != FORMAT:
            found = f"format {row.get('format')}" if row else "nothing" if not self.exists else "an unreadable file"
            raise DataError(
                f"index {self.root}",
                expected=f"a stored index ({_SETTINGS} of format {FORMAT})",
                found=found,
                hint="Make one with: ragbench index update FOLDER",
            )
        return Settings(row["folder"], tuple(row["overrides"]), row["recipe"])

    def is_made_with(self, recipe: Mapping[str, Any]) -> bool:
        """Whether the recipe of the index is this one."""
        return (_read(self.root / _SETTINGS) or {}).get("recipe") == recipe

    def write_settings(self, settings: Settings) -> None:
        """Say what the index is made with."""
        self.root.mkdir(parents=True, exist_ok=True)
        commit_json(self.root / _SETTINGS, {"format": FORMAT, **asdict(settings)})

    def head(self, part: str) -> Head | None:
        """What counts as a part; None where it was never written or the file is unreadable."""
        row = _read(self._head(part))
        try:
            return None if row is None else Head(**row)
        except TypeError:
            return None

    def turn(self, part: str, head: Head) -> None:
        """Make an artifact the one that counts."""
        self._head(part).parent.mkdir(exist_ok=True)
        commit_json(self._head(part), asdict(head))

    def artifact(self, part: str) -> Path | None:
        """The folder of a part that is whole; a damaged one is set aside."""
        head = self.head(part)
        return None if head is None else self.store.find(part, head.key)

    def path(self, part: str, head: Head) -> Path:
        """Where a part lies."""
        return self.store.path(part, head.key)

    def faults(self, parts: Sequence[str]) -> dict[str, str]:
        """What stands against each part: missing, damaged, or behind the documents. Nothing is changed."""
        found = {}
        documents = self.head(CATALOGUE)
        for part in parts:
            head = self.head(part)
            name = "the list of documents" if part == CATALOGUE else f"the {part} side"
            if head is None:
                found[part] = f"{name} is missing"
            elif documents is not None and head.chunk_set != documents.chunk_set:
                found[part] = (
                    f"{name} is behind: it holds chunk set {head.chunk_set[:12]}, "
                    f"the documents are at {documents.chunk_set[:12]}"
                )
            elif damage := fault(self.path(part, head), part, head.key):
                found[part] = f"{name} is damaged: {damage}"
        return found

    def begin(self, verb: str, chunk_set: str) -> None:
        """Note that a change to this chunk set is under way."""
        began = {"verb": verb, "pid": os.getpid(), "to": chunk_set, "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        commit_json(self.root / _JOURNAL, began)

    def journal(self) -> dict[str, Any] | None:
        """The change that is under way, or was when its process ended."""
        return _read(self.root / _JOURNAL)

    def end(self, parts: Sequence[str]) -> None:
        """Close the journal and delete what no head names."""
        (self.root / _JOURNAL).unlink(missing_ok=True)
        for folder in self._unnamed(parts):
            self.store.discard(folder)
        for lock in self.root.glob("*/??/*.lock"):
            if not lock.with_suffix("").exists():
                lock.unlink(missing_ok=True)
        readers = [path for path in self.root.glob(f"{READER}*") if path.stat().st_mtime < time.time() - _DAY]
        for debris in [*self.store.debris(time.time()), *readers]:
            shutil.rmtree(debris, ignore_errors=True)
        for debris in [*self.root.glob(".*.json.*"), *(self.root / "heads").glob(".*.json.*")]:
            debris.unlink(missing_ok=True)  # of a process that was killed: the lock is ours, so nobody else writes

    def leftovers(self, parts: Sequence[str]) -> list[str]:
        """What a process that was killed left and the next `end` deletes: folders that no head names, whole or not, by
        their place in the index. They may hold documents that were taken out."""
        found = [*self._unnamed(parts), *self.store.debris(time.time())]
        return [path.relative_to(self.root).as_posix() for path in found]

    def _unnamed(self, parts: Sequence[str]) -> list[Path]:
        wanted = {(part, head.key) for part in parts if (head := self.head(part))}
        return [folder for kind, key, folder in self.store.folders() if (kind, key) not in wanted]

    def forget(self) -> None:
        """Take away all heads, so that nothing counts; the artifacts stay until the next `end`."""
        for path in sorted((self.root / "heads").glob("*.json")):
            path.unlink()

    @contextmanager
    def locked(self, verb: str, wait: float) -> Iterator[None]:
        """One process at a time; others wait up to `wait` seconds and are then refused with a DataError.

        Nothing is left of it: the file that names the holder goes with the lock.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(str(self.root / ".lock"), timeout=wait)
        try:
            lock.acquire()
        except Timeout:
            holder = _read(self.root / _HOLDER) or {}
            who = f"{holder.get('verb', 'another')} of process {holder.get('pid', '?')}"
            raise DataError(
                f"index {self.root}",
                expected="to be alone with it",
                found=f"{who} at work since {holder.get('since', '?')}; waited {wait:g} s",
                hint="Try again when it is done, or wait longer with --wait SECONDS.",
            ) from None
        try:
            now = time.strftime("%Y-%m-%d %H:%M:%S")
            (self.root / _HOLDER).write_bytes(dumps({"verb": verb, "pid": os.getpid(), "since": now}))
            yield
        finally:
            (self.root / _HOLDER).unlink(missing_ok=True)
            lock.release()

    def _head(self, part: str) -> Path:
        return self.root / "heads" / f"{part}.json"


def commit_json(path: Path, value: Any) -> None:
    """Replace a small file in one step, so that a crash leaves the old one or the new one, on disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as handle:
        handle.write(dumps(value) + b"\n")
        handle.flush()
        os.fsync(handle.fileno())
    temporary.replace(path)
    if os.name != "nt":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        row = read_json(path)
    except (OSError, ValueError):
        return None
    return row if isinstance(row, dict) else None
