"""Route lists, cached one by one: what α, k, fusion and cut-offs are re-scored from."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragbench.core.blobs import BlobTable
from ragbench.core.fingerprint import quick_key
from ragbench.core.workers import Floats, TextEmbedder
from ragbench.index.base import FoundList, OpenIndex
from ragbench.pipeline.visibility import allowed_chunks
from ragbench.records.document import Chunk
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


Search = Callable[[SearchRequest, int], StoredList]
_FLUSH = 64
_EAST_ASIAN = "\u2e80"


class RouteLists:
    """Searches the routes of one built variant, each list once ever.

    `keys` maps a route to the key of its index, `searches` to the function that searches it. A list's key is H(route,
    index key, text, role, filter, tenant, allowed documents, depth). Computed lists are written in batches; `flush`
    writes the rest.
    """

    def __init__(self, table: BlobTable, keys: Mapping[str, str], searches: Mapping[str, Search]) -> None:
        self.table = table
        self.keys = keys
        self.searches = searches
        self._new: dict[str, bytes] = {}

    def key(self, route: str, request: SearchRequest, depth: int) -> str:
        """Key of one list."""
        asked = (request.text, request.role, request.filter, request.tenant, request.allowed_docs)
        return quick_key("route list", route, self.keys[route], asked, depth)

    def find(self, requests: Sequence[SearchRequest], depth: int, times: dict[str, float]) -> tuple[RouteList, ...]:
        """Lists of every request on every route it may use; adds their times as `embed` and by route."""
        return tuple(
            self._one(number, request, route, (request.depth or depth, times))
            for number, request in enumerate(requests)
            for route in self._routes(request)
        )

    def flush(self) -> None:
        """Write what was computed."""
        if self._new:
            self.table.put_many(self._new)
            self._new = {}

    def _routes(self, request: SearchRequest) -> list[str]:
        return [route for route in self.keys if not request.routes or route in request.routes]

    def _one(self, number: int, request: SearchRequest, route: str, how: tuple[int, dict[str, float]]) -> RouteList:
        depth, times = how
        key = self.key(route, request, depth)
        data = self._new.get(key) or self.table.get_many([key]).get(key)
        if data is None:
            fresh = self.searches[route](request, depth).to_bytes()
            self._new[key] = fresh
            if len(self._new) >= _FLUSH:
                self.flush()
        stored = StoredList.from_bytes(fresh if data is None else data)
        times[route] = times.get(route, 0.0) + stored.search_ms
        if stored.embed_ms:
            times["embed"] = times.get("embed", 0.0) + stored.embed_ms
        numbers, scores = stored.found
        columns = tuple(numbers.tolist()), tuple(scores.tolist())
        return RouteList(route, number, *columns, request.weight, stored.search_ms + stored.embed_ms, data is not None)


def sparse_search(index: OpenSparse, chunks: Sequence[Chunk]) -> Search:
    """The search function of the sparse route."""
    warm = False

    def search(request: SearchRequest, depth: int) -> StoredList:
        nonlocal warm
        allowed = allowed_chunks(request, chunks)
        if not warm and max(request.text, default="") >= _EAST_ASIAN:
            index.search(request.text, 1)  # a dictionary loads at its first use, which is no question's latency
            warm = True
        started = time.perf_counter()
        found = index.search(request.text, depth, allowed)
        return StoredList(found, (time.perf_counter() - started) * 1000, 0.0)

    return search


def dense_search(index: OpenIndex, embedder: TextEmbedder, chunks: Sequence[Chunk]) -> Search:
    """The search function of the dense route."""

    def search(request: SearchRequest, depth: int) -> StoredList:
        allowed = allowed_chunks(request, chunks)
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
