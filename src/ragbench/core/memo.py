"""Results computed once, with the time they took."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from ragbench.core.blobs import BlobTable

_MS = struct.Struct("<d")
Compute = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A value, the milliseconds of its computation, and whether it came from the store."""

    value: bytes
    ms: float
    cached: bool


class Memo:
    """A table of results by key, which threads may share. What raises is not stored. `n_cached` and `n_computed` count
    calls. With `passed_by` every result is computed, and none is stored."""

    def __init__(self, table: BlobTable, flush_every: int = 64, *, passed_by: bool = False) -> None:
        self.table = table
        self.n_cached = 0
        self.n_computed = 0
        self._flush_every, self._passed_by = flush_every, passed_by
        self._new: dict[str, bytes] = {}
        self._lock = Lock()

    def call(
        self, key: str, ready: Callable[[], Compute], correction_ms: Callable[[], float] = lambda: 0.0
    ) -> Remembered:
        """The stored result of `key`, or that of the function that `ready` gives.

        `ready` opens what is needed and is not timed. The difference of `correction_ms` after and before is added to
        the time.
        """
        data = None if self._passed_by else self._new.get(key) or self.table.get_many([key]).get(key)
        if data is not None:
            self.n_cached += 1
            return Remembered(data[_MS.size :], _MS.unpack_from(data)[0], True)
        compute = ready()
        started, correction = time.perf_counter(), correction_ms()
        value = compute()
        ms = max(0.0, (time.perf_counter() - started) * 1000 + correction_ms() - correction)
        with self._lock:
            self.n_computed += 1
            if not self._passed_by:
                self._new[key] = _MS.pack(ms) + value
            full = len(self._new) >= self._flush_every
        if full:
            self.flush()
        return Remembered(value, ms, False)

    def flush(self) -> None:
        """Write what was computed."""
        with self._lock:
            if self._new:
                self.table.put_many(self._new)
                self._new = {}
