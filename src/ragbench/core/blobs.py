"""A key–value table of small binary values in one SQLite file.

Used for what is cached item by item: vectors per text, route lists per request, verdicts per answer.
Each value carries a CRC-32; a row that does not match is treated as missing, a file that is damaged or no database is
set aside and begun anew. Several processes may read and write the same table. What the disk refuses is a StoreError.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock

from ragbench.errors import StoreError

_BATCH = 500
T = TypeVar("T")


class BlobTable:
    """Values by hex key.

    `hits` and `misses` count look-ups for this object's lifetime; `repaired` lists damaged files that were set aside.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.hits = 0
        self.misses = 0
        self.repaired: list[str] = []
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Under a lock: of two processes that find no database, one would set aside what the other has just made.
            with FileLock(f"{path}.lock"), _told(path):
                self._db = self._opened()
        except OSError as error:
            raise StoreError(f"store table {path}: cannot be opened ({error.strerror or error})") from error

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The values that are there, by key; duplicates in `keys` are looked up once."""
        wanted = list(dict.fromkeys(keys))

        def read() -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for at in range(0, len(wanted), _BATCH):
                part = wanted[at : at + _BATCH]
                # Only question marks are joined into the statement; the keys are bound.
                query = f"SELECT key, crc, value FROM blobs WHERE key IN ({','.join('?' * len(part))})"  # noqa: S608
                rows = self._db.execute(query, part)
                found.update((key, value) for key, crc, value in rows if _is_sound(value, crc))
            return found

        found = self._do(read)
        self.hits += len(found)
        self.misses += len(wanted) - len(found)
        return found

    def put_many(self, items: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> None:
        """Write values in one transaction; an existing key is overwritten."""
        pairs = items.items() if isinstance(items, Mapping) else items
        rows = [(key, zlib.crc32(value), value) for key, value in pairs]

        def write() -> None:
            with self._db:
                self._db.executemany("INSERT OR REPLACE INTO blobs (key, crc, value) VALUES (?, ?, ?)", rows)

        self._do(write)

    def add_many(self, items: Mapping[str, bytes]) -> None:
        """Write values in one transaction; an existing key keeps what it has."""
        rows = [(key, zlib.crc32(value), value) for key, value in items.items()]

        def write() -> None:
            with self._db:
                self._db.executemany("INSERT OR IGNORE INTO blobs (key, crc, value) VALUES (?, ?, ?)", rows)

        self._do(write)

    def __len__(self) -> int:
        return self._do(lambda: int(self._db.execute("SELECT COUNT(*) FROM blobs").fetchone()[0]))

    def clear(self) -> None:
        """Drop all values."""

        def drop() -> None:
            with self._db:
                self._db.execute("DELETE FROM blobs")

        self._do(drop)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _do(self, act: Callable[[], T]) -> T:
        """Run one action on the database; a damaged file is set aside and the action runs on a new one."""
        with self._lock, _told(self.path):
            try:
                return act()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._db.close()
                with FileLock(f"{self.path}.lock"):
                    self._set_aside(str(error))
                    self._db = _connect(self.path)
                return act()

    def _opened(self) -> sqlite3.Connection:
        try:
            return _connect(self.path)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._set_aside(str(error))
            return _connect(self.path)

    def _set_aside(self, fault: str) -> None:
        stamp = time.time_ns()
        for suffix in ("", "-wal", "-shm"):
            part = self.path.with_name(self.path.name + suffix)
            if part.exists():
                part.rename(self.path.with_suffix(f".corrupt-{stamp}{suffix}"))
        self.repaired.append(f"tables/{self.path.name}: {fault}")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Faults of the file (full disk, no permission, damage) as one line that names it."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        hint = "Check the disk and its permissions, or set paths.store to another folder."
        raise StoreError(f"store table {path}: cannot be read or written ({error}). {hint}") from error


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Damage has no class of its own; locked, read-only, full and closed do, and say nothing against what is stored."""
    return type(error) is sqlite3.DatabaseError


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=60, check_same_thread=False)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("CREATE TABLE IF NOT EXISTS blobs (key TEXT PRIMARY KEY, crc INTEGER, value BLOB) WITHOUT ROWID")
    db.commit()
    return db


def _is_sound(value: Any, crc: Any) -> bool:
    """Whether a value is the one that was written; damage can also change its type."""
    return isinstance(value, bytes) and zlib.crc32(value) == crc
