"""Results of pure functions, kept in memory up to a limit for the next variant of one process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """The values used last, up to `limit` in the sum of their weights; threads may share it.

    A key may hold the `id` of an object only where the value holds the object itself, which keeps the id from being
    given to another one.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.weight = 0
        self._kept: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> V | None:
        """The value, or None."""
        found = self._kept.get(key)
        if found is None:
            return None
        try:
            self._kept.move_to_end(key)
        except KeyError:  # dropped meanwhile by another thread
            return None
        return found[0]

    def put(self, key: Hashable, value: V, weight: int = 1) -> V:
        """Keep a value (the first one of its key stays) and give back what is kept; one heavier than the limit is not
        kept."""
        if weight > self.limit:
            return value
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                return known[0]
            self._kept[key] = value, weight
            self.weight += weight
            while self.weight > self.limit:
                self.weight -= self._kept.popitem(last=False)[1][1]
            return value

    def call(self, key: Hashable, make: Callable[[], V], weigh: Callable[[V], int] = lambda _: 1) -> V:
        """The value of a key, made first where it is missing. What `make` raises passes through."""
        found = self.get(key)
        if found is not None:
            return found
        value = make()
        return self.put(key, value, weigh(value))


class Memory:
    """One `Recent` for each purpose, made at its first use. One that does not `keep` is for a single variant, which
    would find nothing again."""

    def __init__(self, keep: bool = True) -> None:
        self.keep = keep
        self._parts: dict[str, Recent[Any]] = {}
        self._lock = Lock()

    def of(self, purpose: str, limit: int) -> Recent[Any]:
        """The values of a purpose; `limit` counts at the first use."""
        with self._lock:
            return self._parts.setdefault(purpose, Recent(limit if self.keep else 0))
