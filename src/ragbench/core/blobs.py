"""A key–value table of small binary values in one SQLite file.

Used for what is cached item by item: vectors per text, route lists per request, verdicts per answer.
Each value carries a CRC-32; a row that does not match is treated as missing, a file that is no database is set
aside. Several processes may read and write the same table. What the disk refuses is a StoreError.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from ragbench.errors import StoreError

_BATCH = 500


class BlobTable:
    """Values by hex key. `hits` and `misses` count look-ups for this object's lifetime."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.hits = 0
        self.misses = 0
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Under a lock: of two processes that find no database, one would set aside what the other has just made.
            with FileLock(f"{path}.lock"), _told(path):
                self._db = _opened(path)
        except OSError as error:
            raise StoreError(f"store table {path}: cannot be opened ({error.strerror or error})") from error

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The values that are there, by key; duplicates in `keys` are looked up once."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, bytes] = {}
        with self._lock, _told(self.path):
            for at in range(0, len(wanted), _BATCH):
                part = wanted[at : at + _BATCH]
                # Only question marks are joined into the statement; the keys are bound.
                query = f"SELECT key, crc, value FROM blobs WHERE key IN ({','.join('?' * len(part))})"  # noqa: S608
                rows = self._db.execute(query, part)
                found.update((key, value) for key, crc, value in rows if zlib.crc32(value) == crc)
        self.hits += len(found)
        self.misses += len(wanted) - len(found)
        return found

    def put_many(self, items: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> None:
        """Write values in one transaction; an existing key is overwritten."""
        pairs = items.items() if isinstance(items, Mapping) else items
        rows = [(key, zlib.crc32(value), value) for key, value in pairs]
        with self._lock, _told(self.path), self._db:
            self._db.executemany("INSERT OR REPLACE INTO blobs (key, crc, value) VALUES (?, ?, ?)", rows)

    def __len__(self) -> int:
        with self._lock, _told(self.path):
            return int(self._db.execute("SELECT COUNT(*) FROM blobs").fetchone()[0])

    def clear(self) -> None:
        """Drop all values."""
        with self._lock, _told(self.path), self._db:
            self._db.execute("DELETE FROM blobs")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Faults of the file (full disk, no permission, damage) as one line that names it."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        hint = "Check the disk and its permissions, or set paths.store to another folder."
        raise StoreError(f"store table {path}: cannot be read or written ({error}). {hint}") from error


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _connect(path)
    except sqlite3.OperationalError:  # locked, read-only or full: nothing is wrong with what is in it
        raise
    except sqlite3.DatabaseError:
        path.rename(path.with_suffix(f".corrupt-{time.time_ns()}"))
        return _connect(path)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=60, check_same_thread=False)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("CREATE TABLE IF NOT EXISTS blobs (key TEXT PRIMARY KEY, crc INTEGER, value BLOB) WITHOUT ROWID")
    db.commit()
    return db
