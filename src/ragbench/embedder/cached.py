"""The cache in front of an embedder: the same text is never computed twice in one vector space.

Single vectors are stored as float32. Token vectors are stored as int8: each row r as round(r/s) with s = max|r|/127 in
float32, which keeps the cosine of a row above 0.9999 at a quarter of the size. Every token vector goes through this
rounding, also when it was computed just now, so that a cold and a warm cache give the same bits.

Each value carries the milliseconds that its text took, so that times of stages do not depend on what earlier variants
left in the store: see `CachedEmbedder.correction_ms`.
"""

from __future__ import annotations

import copy
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from ragbench.core.blobs import BlobTable
from ragbench.core.fingerprint import fingerprint
from ragbench.core.store import Store
from ragbench.core.workers import Floats, TextEmbedder
from ragbench.embedder.unit_vectors import unit_tokens
from ragbench.errors import DataError

Progress = Callable[[int, int], None]
"""Called with the number of distinct texts done and the number wanted, after each batch."""

_MS = struct.Struct("<f")
_LEVELS = 127
_SCALE_BYTES = 4


@dataclass
class CachedEmbedder:
    """A TextEmbedder over `worker` and the tables `vectors` and `token_vectors` of `store`.

    Distinct texts that are missing are computed in batches of `batch_size` and written after each, so that a killed run
    loses one batch. `computed` counts distinct texts computed by what they were wanted for, `n_cached` distinct texts
    taken from the store, both per call and kind of vector, for this object's lifetime.

    `correction_ms` is what to add to a time measured around calls to get the time of a deployed system, which embeds
    each query and has the vectors of passages beside its index: a query counts as what it took when it was computed,
    stored or not, and a passage as being read. Take the difference of two readings.
    """

    worker: TextEmbedder
    store: Store
    batch_size: int = 64
    progress: Progress | None = None
    purpose: str = "retrieval"
    computed: Counter[str] = field(default_factory=Counter, init=False)
    n_cached: int = field(default=0, init=False)
    correction_ms: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.dimension = self.worker.dimension
        self.max_tokens = self.worker.max_tokens
        self.space = self.worker.space

    def counted_as(self, purpose: str) -> Self:
        """The same embedder for another purpose, which `computed` counts apart; its `correction_ms` is its own."""
        view = copy.copy(self)
        view.purpose, view.correction_ms = purpose, 0.0
        return view

    @property
    def n_embedded(self) -> int:
        """Distinct texts computed, for all purposes."""
        return self.computed.total()

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, [n, dimension]."""
        return self._vectors(texts, "passage", self.worker.embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        """Vectors of queries, [n, dimension]."""
        return self._vectors(texts, "query", self.worker.embed_queries)

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Floats]:
        """Per text the vectors of its own tokens, [n_tokens, dimension], rounded to int8 and normalised again."""

        def compute(batch: Sequence[str]) -> list[bytes]:
            return [pack_tokens(states) for states in self.worker.token_vectors(batch, role)]

        if not texts:
            self.worker.token_vectors([], role)  # says so where the model offers none
        blobs = self._blobs(texts, role, "token_vectors", compute)
        return [unpack_tokens(blob, self.dimension) for blob in blobs]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, counted anew each time."""
        return self.worker.count_tokens(texts)

    @property
    def token_offsets(self) -> Callable[[str], list[tuple[int, int]]] | None:
        """The worker's function that gives the character interval of each token of a text; None: it has none."""
        found: Callable[[str], list[tuple[int, int]]] | None = getattr(self.worker, "token_offsets", None)
        return found

    def _vectors(self, texts: Sequence[str], role: str, embed: Callable[[Sequence[str]], Floats]) -> Floats:
        def compute(batch: Sequence[str]) -> list[bytes]:
            return [row.tobytes() for row in np.asarray(embed(batch), dtype="<f4")]

        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, blob in zip(rows, self._blobs(texts, role, "vectors", compute), strict=True):
            row[:] = np.frombuffer(blob, dtype="<f4")
        return rows

    def _blobs(
        self, texts: Sequence[str], role: str, kind: str, compute: Callable[[Sequence[str]], list[bytes]]
    ) -> Iterator[memoryview]:
        started = time.perf_counter()
        table = self.store.table(kind)
        keys = [self._key(text, role) for text in texts]
        by_key = dict(zip(keys, texts))
        blobs = {key: blob for key, blob in table.get_many(list(by_key)).items() if self._fits(blob, table)}
        self.n_cached += len(blobs)
        missing = [key for key in by_key if key not in blobs]
        found_ms = (time.perf_counter() - started) * 1000
        for at in range(0, len(missing), self.batch_size):
            part = missing[at : at + self.batch_size]
            blobs.update(self._computed({key: by_key[key] for key in part}, compute))
            table.put_many({key: blobs[key] for key in part})
            self.computed[self.purpose] += len(part)
            if self.progress:
                self.progress(len(blobs), len(by_key))
        elapsed_ms = (time.perf_counter() - started) * 1000
        own_ms = sum(_MS.unpack_from(blobs[key])[0] for key in by_key) if role == "query" else found_ms
        self.correction_ms += own_ms - elapsed_ms
        return (memoryview(blobs[key])[_MS.size :] for key in keys)

    def _computed(self, wanted: Mapping[str, str], compute: Callable[[Sequence[str]], list[bytes]]) -> dict[str, bytes]:
        started = time.perf_counter()
        fresh = compute(list(wanted.values()))
        ms = (time.perf_counter() - started) * 1000
        if len(fresh) != len(wanted):
            raise DataError("embedder", expected=f"{len(wanted)} vectors", found=str(len(fresh)))
        head = _MS.pack(ms / len(wanted))
        return {key: head + blob for key, blob in zip(wanted, fresh)}

    def _key(self, text: str, role: str) -> str:
        return vector_key(self.space, role, text)

    def _fits(self, blob: bytes, table: BlobTable) -> bool:
        """A value of another shape cannot come from this space; it is computed again."""
        size = len(blob) - _MS.size
        if table.path.stem == "vectors":
            return size == 4 * self.dimension
        return size >= 0 and size % (_SCALE_BYTES + self.dimension) == 0


def counted_as(embedder: TextEmbedder, purpose: str) -> TextEmbedder:
    """The embedder with what it computes counted for a purpose; one that does not count is given back as it is."""
    return embedder.counted_as(purpose) if isinstance(embedder, CachedEmbedder) else embedder


def vector_key(space: str, role: str, text: str) -> str:
    """Key of one vector: the space, the role (`query` or `passage`) and the text."""
    return fingerprint(space, role, text)


def count_missing(store: Store, space: str, texts: Sequence[str]) -> int:
    """How many distinct passages have no stored vector in a space; nothing is loaded or computed."""
    keys = {vector_key(space, "passage", text) for text in texts}
    return len(keys) - len(store.table("vectors").get_many(list(keys)))


def pack_tokens(states: Floats) -> bytes:
    """Token vectors [n, d] as n float32 scales followed by n·d int8 values; a zero row has scale 0."""
    rows = np.asarray(states, dtype=np.float32)
    scales = np.abs(rows).max(axis=1, initial=0).astype("<f4") / np.float32(_LEVELS)
    values = np.rint(rows / np.where(scales == 0, 1, scales)[:, None]).astype(np.int8)
    return b"".join((scales.astype("<f4").tobytes(), values.tobytes()))


def unpack_tokens(blob: bytes | memoryview, dimension: int) -> Floats:
    """The inverse of `pack_tokens` up to rounding, rows L2-normalised again, [n, dimension]."""
    count = len(blob) // (_SCALE_BYTES + dimension)
    values = np.frombuffer(blob, np.int8, offset=_SCALE_BYTES * count).reshape(count, dimension)
    # The scale of a row cancels out in normalising; it is stored so that lengths can be had back.
    return unit_tokens(values.astype(np.float32))
