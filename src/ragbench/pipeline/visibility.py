"""Which chunks a search request may see: tenant, allowed documents, metadata filter and language, before top-k."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragbench.core.conditions import compiled, fields_of
from ragbench.core.fingerprint import quick_key
from ragbench.core.tenants import may_see, tenants_of
from ragbench.index.base import Ints
from ragbench.records.document import CHUNK_LANGUAGE, Chunk
from ragbench.records.question import LANGUAGES
from ragbench.records.search import SearchRequest
from ragbench.text.language import languages_of

Flags = NDArray[np.bool_]
T = TypeVar("T")
_KEPT_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Sight:
    """What a request may see: ascending chunk numbers, or None for every chunk.

    `key` is the hash of the numbers and empty for every chunk: requests of equal keys see the same chunks of a chunk
    set, whoever asks and however it is put, and requests of different keys never share a cached list.
    """

    numbers: Ints | None
    key: str


EVERYTHING = Sight(None, "")


class Visibility:
    """What each request may see of one chunk set; made once a variant and shared by its threads.

    The work for a restriction is done once: conditions are tried on each document's metadata, not on each chunk, and
    what they leave is kept for the next question that asks alike (the last 64 MB of it).
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._lock = RLock()
        self._kept: OrderedDict[str, Sight] = OrderedDict()
        self._bytes = 0

    def of(self, request: SearchRequest) -> Sight:
        """What the request may see. Raises DataError for a filter that cannot be read."""
        with self._lock:
            if request.tenant is None and not self._has_tenants and not _restricted(request):
                return EVERYTHING
            asked = quick_key(request.tenant, request.allowed_docs, request.filter, request.languages)
            sight = self._kept.get(asked)
            if sight is None:
                sight = self._seen(request)
                self._keep(asked, sight)
            else:
                self._kept.move_to_end(asked)
            return sight

    def allowed(self, request: SearchRequest) -> Ints | None:
        """Ascending numbers of the chunks the request may see; None: all."""
        return self.of(request).numbers

    def _seen(self, request: SearchRequest) -> Sight:
        seen = self._by_metadata(lambda metadata: may_see(request.tenant, metadata))
        if request.allowed_docs is not None:
            allowed = set(request.allowed_docs)
            seen = seen & self._spread(self._doc_ids, lambda doc_id: doc_id in allowed)
        if request.filter is not None:
            seen = seen & self._meeting(request.filter)
        if request.languages:
            own = seen & np.isin(self._languages, [LANGUAGES.index(one) for one in request.languages])
            seen = own if own.any() else seen
        if seen.all():
            return EVERYTHING
        numbers = np.flatnonzero(seen).astype(np.int32)
        return Sight(numbers, hashlib.sha256(numbers.astype("<i4").tobytes()).hexdigest())

    def _meeting(self, condition: Mapping[str, Any]) -> Flags:
        """The chunks that meet a condition."""
        meets = compiled(condition)
        if CHUNK_LANGUAGE not in fields_of(condition):
            return self._by_metadata(meets)

        def in_language(name: str) -> Callable[[Mapping[str, Any]], bool]:
            return lambda metadata: meets({**metadata, CHUNK_LANGUAGE: name})

        found: Flags = np.choose(self._languages, [self._by_metadata(in_language(name)) for name in LANGUAGES])
        return found

    def _by_metadata(self, test: Callable[[Mapping[str, Any]], bool]) -> Flags:
        return self._spread(self._metadata, test)

    def _spread(self, groups: tuple[list[T], NDArray[np.int64]], test: Callable[[T], bool]) -> Flags:
        """For each chunk whether its group meets a test."""
        values, place = groups
        return np.fromiter(map(test, values), np.bool_, len(values))[place]

    @cached_property
    def _metadata(self) -> tuple[list[Mapping[str, Any]], NDArray[np.int64]]:
        """The different mappings, and for each chunk which is its own; chunks of a document share one."""
        own = {id(chunk.metadata): chunk.metadata for chunk in self._chunks}
        numbers = {name: number for number, name in enumerate(own)}
        return list(own.values()), np.fromiter((numbers[id(one.metadata)] for one in self._chunks), np.int64)

    @cached_property
    def _doc_ids(self) -> tuple[list[str], NDArray[np.int64]]:
        numbers: dict[str, int] = {}
        place = [numbers.setdefault(chunk.doc_id, len(numbers)) for chunk in self._chunks]
        return list(numbers), np.asarray(place, np.int64)

    @cached_property
    def _has_tenants(self) -> bool:
        return any(map(tenants_of, self._metadata[0]))

    @cached_property
    def _languages(self) -> NDArray[np.int8]:
        """The place of each chunk's language in `LANGUAGES`."""
        numbers = {name: number for number, name in enumerate(LANGUAGES)}
        found = languages_of([chunk.text for chunk in self._chunks])
        return np.fromiter((numbers[name] for name in found), np.int8, len(found))

    def _keep(self, asked: str, sight: Sight) -> None:
        self._kept[asked] = sight
        self._bytes += _size(sight)
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])


def _restricted(request: SearchRequest) -> bool:
    return request.filter is not None or request.allowed_docs is not None or bool(request.languages)


def _size(sight: Sight) -> int:
    return 200 + (0 if sight.numbers is None else sight.numbers.nbytes)
