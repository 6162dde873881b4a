"""Unit offsets of texts that were measured before."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

Starts = NDArray[np.int32] | NDArray[np.int64]


class UnitMemory:
    """The offsets of the texts measured last, up to `most_bytes` of them and of the texts they belong to.

    The variants of a sweep measure the same documents. What is larger than the whole room is not kept. Use from
    several threads is safe.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes, self.held_bytes = most_bytes, 0
        self._found: OrderedDict[tuple[str, str], Starts] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str, unit: str) -> Starts | None:
        """The offsets of a text in a unit, None where they are not held."""
        with self._lock:
            starts = self._found.get((text, unit))
            if starts is not None:
                self._found.move_to_end((text, unit))
            return starts

    def put(self, text: str, unit: str, starts: Starts) -> None:
        """Hold offsets, those used least recently go."""
        size = _size(text, starts)
        if size > self.most_bytes:
            return
        with self._lock:
            if (text, unit) in self._found:
                return
            self._found[text, unit] = starts
            self.held_bytes += size
            while self.held_bytes > self.most_bytes:
                (other, _), dropped = self._found.popitem(last=False)
                self.held_bytes -= _size(other, dropped)

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._found.clear()
            self.held_bytes = 0


def _size(text: str, starts: Starts) -> int:
    return sys.getsizeof(text) + sys.getsizeof(starts) + _ENTRY


_ENTRY = 300  # bytes of a key, a list node and an array's head
