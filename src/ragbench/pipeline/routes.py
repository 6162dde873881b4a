"""Route lists, cached one by one: what α, k, fusion and cut-offs are re-scored from."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Lock, local

import numpy as np

from ragbench.core.blobs import BlobTable
from ragbench.core.fingerprint import quick_key
from ragbench.core.workers import Floats, TextEmbedder
from ragbench.errors import DataError
from ragbench.index.base import FoundList, Ints, OpenIndex
from ragbench.index.selection import NOTHING
from ragbench.pipeline.visibility import Sight, Visibility
from ragbench.records.search import RouteList, SearchRequest
from ragbench.sparse.base import OpenSparse

_HEAD = struct.Struct("<Idd")


@dataclass(frozen=True, slots=True)
class StoredList:
    """A route list as it lies in the store, with the milliseconds of its search and of embedding its query."""

    found: FoundList
    search_ms: float
    embed_ms: float

    def to_bytes(self) -> bytes:
        """Length and times, then chunk numbers (int32), then scores (float32), little-endian."""
        numbers, scores = self.found
        head = _HEAD.pack(len(numbers), self.search_ms, self.embed_ms)
        return head + np.asarray(numbers, "<i4").tobytes() + np.asarray(scores, "<f4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> StoredList:
        """Inverse of `to_bytes`."""
        n, search_ms, embed_ms = _HEAD.unpack_from(data)
        numbers = np.frombuffer(data, "<i4", n, _HEAD.size)
        scores = np.frombuffer(data, "<f4", n, _HEAD.size + 4 * n)
        return cls((numbers, scores), search_ms, embed_ms)


Search = Callable[[SearchRequest, int, Ints | None], StoredList]
"""Finds the best chunks for a request, at most so many, among the allowed ones (None: all)."""
_FLUSH = 64
_AHEAD = 128
"""Lists looked up at a time."""
_EAST_ASIAN = "\u2e80"


class RouteLists:
    """Searches the routes of one built variant, each list once ever; threads may share it.

    `keys` maps a route to the key of its index, `searches` to the function that searches it, `visibility` says what a
    request may see. A list's key is H(route, index key, text, role, the chunks that may be seen, depth): whoever may
    see the same chunks shares the list, and nobody else does. Computed lists are written in batches; `flush` writes
    the rest. `n_searched` counts the lists that were not stored. `embed_together` makes the vectors of several queries
    in one call, where that saves round trips; None: each query is embedded when it is searched.
    """

    def __init__(
        self,
        table: BlobTable,
        keys: Mapping[str, str],
        searches: Mapping[str, Search],
        visibility: Visibility,
        embed_together: Callable[[Sequence[str]], object] | None = None,
    ) -> None:
        self.table = table
        self.keys = keys
        self.searches = searches
        self.visibility = visibility
        self.n_searched = 0
        self._embed_together = embed_together
        self._new: dict[str, bytes] = {}
        self._coming: Iterator[str] = iter(())
        self._ahead: dict[str, bytes | None] = {}
        self._lock = Lock()
        self._waited = local()

    @property
    def waited_ms(self) -> float:
        """Milliseconds that this thread has spent in `find_within`."""
        return float(getattr(self._waited, "ms", 0.0))

    def key(self, route: str, request: SearchRequest, depth: int) -> str:
        """Key of one list."""
        return self._key(route, request, self.visibility.of(request), depth)

    def _key(self, route: str, request: SearchRequest, sight: Sight, depth: int) -> str:
        return quick_key("route list", route, self.keys[route], (request.text, request.role), sight.key, depth)

    def expect(self, requests: Iterable[SearchRequest], depth: int) -> None:
        """Name the searches that are likely to come, in their order, so that what is stored of them is looked up many
        at a time. Nothing depends on it but how often the table is read."""
        self._coming = self._keys_of(requests, depth)

    def _keys_of(self, requests: Iterable[SearchRequest], depth: int) -> Iterator[str]:
        for request in requests:
            try:
                sight = self.visibility.of(request)
            except DataError:
                continue  # told when it is searched
            for route in self._routes(request):
                yield self._key(route, request, sight, request.depth or depth)

    def _stored(self, key: str) -> bytes | None:
        """What the table holds of a list; the lists that are expected next are looked up with it."""
        with self._lock:
            if key not in self._ahead:
                coming = [] if self._ahead else list(islice(self._coming, _AHEAD))
                found = self.table.get_many([key, *coming])
                self._ahead |= dict.fromkeys([key, *coming]) | found
            return self._ahead.pop(key)

    def find(self, requests: Sequence[SearchRequest], depth: int, times: dict[str, float]) -> tuple[RouteList, ...]:
        """Lists of every request on every route it may use; adds their times as `embed` and by route.

        Raises DataError for a filter that cannot be read.
        """
        seen = [self.visibility.of(request) for request in requests]
        if self._embed_together is not None and len(requests) > 1 and "dense" in self.keys:
            self._embed_missing(requests, seen, depth)
        return tuple(
            self._one(number, request, route, (seen[number], request.depth or depth, times))
            for number, request in enumerate(requests)
            for route in self._routes(request)
        )

    def find_within(self, request: SearchRequest, depth: int) -> tuple[RouteList, ...]:
        """As `find` for a search inside of what is timed as another stage: its time is that of its lists, counted where
        they are searched, and adds to `waited_ms` here."""
        started = time.perf_counter()
        found = self.find([request], depth, {})
        self._waited.ms = self.waited_ms + (time.perf_counter() - started) * 1000
        return found

    def flush(self) -> None:
        """Write what was computed."""
        with self._lock:
            if self._new:
                self.table.put_many(self._new)
                self._new = {}

    def _routes(self, request: SearchRequest) -> list[str]:
        return [route for route in self.keys if not request.routes or route in request.routes]

    def _one(
        self, number: int, request: SearchRequest, route: str, how: tuple[Sight, int, dict[str, float]]
    ) -> RouteList:
        sight, depth, times = how
        key = self._key(route, request, sight, depth)
        data = self._new.get(key) or self._stored(key)
        if data is None:
            fresh = self.searches[route](request, depth, sight.numbers).to_bytes()
            self._note(key, fresh)
        stored = StoredList.from_bytes(fresh if data is None else data)
        times[route] = times.get(route, 0.0) + stored.search_ms
        if stored.embed_ms:
            times["embed"] = times.get("embed", 0.0) + stored.embed_ms
        numbers, scores = stored.found
        columns = tuple(numbers.tolist()), tuple(scores.tolist())
        ms, cached = stored.search_ms + stored.embed_ms, data is not None
        return RouteList(route, number, *columns, request.weight, ms, cached, request.join)

    def _embed_missing(self, requests: Sequence[SearchRequest], seen: Sequence[Sight], depth: int) -> None:
        """Have the vectors of all queries that the dense route is about to search made in one call."""
        wanted = {
            self._key("dense", request, sight, request.depth or depth): request.text
            for request, sight in zip(requests, seen)
            if request.role == "query" and "dense" in self._routes(request)
        }
        stored = self.table.get_many(list(wanted))
        texts = [text for key, text in wanted.items() if key not in stored and key not in self._new]
        if len(texts) > 1 and self._embed_together is not None:
            self._embed_together(list(dict.fromkeys(texts)))

    def _note(self, key: str, fresh: bytes) -> None:
        with self._lock:
            self.n_searched += 1
            self._new[key] = fresh
            self._ahead.pop(key, None)
            full = len(self._new) >= _FLUSH
        if full:
            self.flush()


def opened_at_first(open_route: Callable[[], Search]) -> Search:
    """A search whose index is opened by its first request; threads may share it."""
    opened: list[Search] = []
    opening = Lock()

    def lazily(request: SearchRequest, depth: int, allowed: Ints | None) -> StoredList:
        with opening:
            if not opened:
                opened.append(open_route())
        return opened[0](request, depth, allowed)

    return lazily


def sparse_search(index: OpenSparse) -> Search:
    """The search function of the sparse route."""
    warm = False

    def search(request: SearchRequest, depth: int, allowed: Ints | None) -> StoredList:
        nonlocal warm
        if not warm and max(request.text, default="") >= _EAST_ASIAN:
            index.search(request.text, 1)  # a dictionary loads at its first use, which is no question's latency
            warm = True
        started = time.perf_counter()
        found = index.search(request.text, depth, allowed)
        return StoredList(found, (time.perf_counter() - started) * 1000, 0.0)

    return search


def dense_search(index: OpenIndex, embedder: TextEmbedder) -> Search:
    """The search function of the dense route."""

    def search(request: SearchRequest, depth: int, allowed: Ints | None) -> StoredList:
        if allowed is not None and not len(allowed):
            return StoredList(NOTHING, 0.0, 0.0)
        vector, embed_ms = _query_vector(embedder, request)
        started = time.perf_counter()
        found = index.search(vector, depth, allowed)
        return StoredList(found, (time.perf_counter() - started) * 1000, embed_ms)

    return search


def _query_vector(embedder: TextEmbedder, request: SearchRequest) -> tuple[Floats, float]:
    """The vector [dimension] of a request by its role, and the milliseconds that it took when it was computed."""
    if request.role == "passage":
        started = time.perf_counter()
        vector = embedder.embed_documents([request.text])[0]
        return vector, (time.perf_counter() - started) * 1000
    correction = getattr(embedder, "correction_ms", 0.0)
    started = time.perf_counter()
    vector = embedder.embed_queries([request.text])[0]
    return vector, (time.perf_counter() - started) * 1000 + getattr(embedder, "correction_ms", 0.0) - correction
