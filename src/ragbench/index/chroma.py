"""Approximate dense index: HNSW in a Chroma collection."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ragbench.core.codec import read_json, write_json
from ragbench.core.fingerprint import fingerprint
from ragbench.core.workers import Floats
from ragbench.errors import ConfigError, DataError, MissingExtra
from ragbench.index.base import FoundList, Index, Ints
from ragbench.index.recall import measured_recall
from ragbench.index.selection import NOTHING, best, chosen
from ragbench.index.vectors import checked, checked_query, cosines

SPACE = "cosine"
_DATA, _HEAD = "chroma", "index.json"
# Up to here, scoring the allowed chunks one by one is as fast as a filtered graph search, and exact.
_FEW = 256
# Fetched beyond the depth, so that equal scores around the cut are ordered by chunk number.
_SPARE = 16


class ChromaReader:
    """A collection whose ids are chunk numbers, open for reading.

    Similarity is 1 − cosine distance. A filter of few chunks, or one the graph cannot fill, is answered exactly.
    """

    def __init__(self, collection: Any, size: int, dimension: int) -> None:
        self._collection, self._dimension = collection, dimension
        self.size = size

    def search(self, query: Floats, depth: int, allowed: Ints | None = None) -> FoundList:
        """See `OpenIndex.search`. Raises DataError for a query of another dimension."""
        query = checked_query(query, self._dimension)
        numbers = None if allowed is None else chosen(allowed, self.size)
        within = self.size if numbers is None else len(numbers)
        if depth <= 0 or not within:
            return NOTHING
        if numbers is not None and within <= max(depth, _FEW):
            return self._exact(query, depth, numbers)
        ids = None if numbers is None else [str(number) for number in numbers.tolist()]
        found = self._nearest(query, min(depth, within), within, ids)
        if numbers is not None and len(found[0]) < min(depth, within):
            return self._exact(query, depth, numbers)
        return found

    def _nearest(self, query: Floats, depth: int, within: int, ids: list[str] | None) -> FoundList:
        wanted = depth + _SPARE
        while True:
            wanted = min(wanted, within)
            answer = self._collection.query(
                query_embeddings=query[None], n_results=wanted, ids=ids, include=["distances"]
            )
            numbers = np.array([int(name) for name in answer["ids"][0]], dtype=np.int32)
            scores = 1 - np.array(answer["distances"][0], dtype=np.float32)
            order = np.argsort(numbers, kind="stable")
            found = best(scores[order], numbers[order], depth)
            tied = len(numbers) >= wanted and scores.min(initial=2.0) >= found[1].min(initial=2.0)
            if wanted == within or not tied:
                return found
            wanted *= 4

    def _exact(self, query: Floats, depth: int, numbers: Ints) -> FoundList:
        rows = np.empty((len(numbers), self._dimension), np.float32)
        place = {number: at for at, number in enumerate(numbers.tolist())}
        answer = self._collection.get(ids=[str(number) for number in place], include=["embeddings"])
        for name, vector in zip(answer["ids"], answer["embeddings"]):
            rows[place[int(name)]] = vector
        return best(cosines(rows, query), numbers, depth)


class _Nothing:
    """An index without chunks."""

    size = 0

    def search(self, query: Floats, depth: int, allowed: Ints | None = None) -> FoundList:
        return NOTHING


@dataclass(frozen=True, kw_only=True)
class ChromaIndex(Index):
    """HNSW graph in a persistent Chroma collection, cosine space.

    Approximate: recall@10 against exact search is measured in every build and returned as `recall_at_10`. The space is
    asserted on opening and is no choice here, because the library's default is squared L2.

    Args:
        max_neighbors: links of a node.
        ef_construction: candidates looked at while linking.
        ef_search: candidates looked at while searching.
    """

    LIBRARIES: ClassVar[tuple[str, ...]] = ("chromadb",)

    max_neighbors: int
    ef_construction: int
    ef_search: int

    def __post_init__(self) -> None:
        for name in ("max_neighbors", "ef_construction", "ef_search"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 2:
                raise ConfigError(f"pipeline.index.{name}", expected="a whole number of 2 or more", found=repr(value))

    def build(self, folder: Path, vectors: Floats, chunk_ids: Sequence[str]) -> dict[str, Any]:
        """See `Index.build`.

        Raises DataError for anything but one finite vector a chunk, MissingExtra without chromadb.
        """
        rows = checked(vectors, chunk_ids)
        chunk_set = fingerprint(list(chunk_ids))
        head = {"size": len(rows), "dimension": rows.shape[1], "chunk_set": chunk_set, "collection": chunk_set[:32]}
        recall = self._fill(folder / _DATA, rows, head) if len(rows) else None
        write_json(folder / _HEAD, head | {"files": _hashes(folder / _DATA)})
        return {
            "n_chunks": len(rows),
            "dimension": rows.shape[1],
            "bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
            "chunk_set": chunk_set,
            "recall_at_10": recall,
        }

    def _fill(self, data: Path, rows: Floats, head: dict[str, Any]) -> float | None:
        graph = {
            "space": SPACE,
            "max_neighbors": self.max_neighbors,
            "ef_construction": self.ef_construction,
            "ef_search": self.ef_search,
        }
        with _client(data) as client:
            collection = client.create_collection(
                head["collection"], embedding_function=None, configuration={"hnsw": graph}
            )
            limit = client.get_max_batch_size()
            for start in range(0, len(rows), limit):
                part = rows[start : start + limit]
                collection.add(ids=[str(number) for number in range(start, start + len(part))], embeddings=part)
            reader = ChromaReader(collection, len(rows), rows.shape[1])
            return measured_recall(rows, lambda query: reader.search(query, 10))

    @contextmanager
    def open(self, folder: Path) -> Iterator[ChromaReader | _Nothing]:
        """See `Index.open`. Works on a private copy, since the client writes into every folder that it opens.

        Raises DataError when the folder holds no index, or one of another space or size; MissingExtra without chromadb.
        """
        try:
            head = read_json(folder / _HEAD)
        except (OSError, ValueError) as error:
            raise _unusable(folder, str(error)) from error
        if not head["size"]:
            yield _Nothing()
            return
        with ExitStack() as stack:
            private = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="ragbench-chroma-", ignore_cleanup_errors=True)
            )
            try:
                data = Path(shutil.copytree(folder / _DATA, Path(private) / _DATA))
                # A damaged graph file does not raise in the library: it ends the process.
                if _hashes(data) != head["files"]:
                    raise ValueError("files that changed since")
                client = stack.enter_context(_client(data))
                reader = ChromaReader(_collection(client, head), head["size"], head["dimension"])
                reader.search(np.ones(head["dimension"], np.float32), 1)
            except MissingExtra:
                raise
            except Exception as error:  # the client raises its own kinds and those of its Rust binding
                raise _unusable(folder, str(error)) from error
            yield reader


@contextmanager
def _client(path: Path) -> Iterator[Any]:
    """A client of a folder that nobody else has open; closed at the end, so that the library forgets the path."""
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise MissingExtra("chromadb", "chroma", "index chroma") from error
    client: Any = chromadb.PersistentClient(path=str(path), settings=Settings(anonymized_telemetry=False))
    try:
        yield client
    finally:
        client.close()


def _collection(client: Any, head: dict[str, Any]) -> Any:
    """The collection of the index; raises ValueError when its space or size is not what was built."""
    collection = client.get_collection(head["collection"], embedding_function=None)
    space = (collection.configuration_json.get("hnsw") or {}).get("space")
    if space != SPACE:
        raise ValueError(f"space {space}, not {SPACE}")
    if collection.count() != head["size"]:
        raise ValueError(f"{collection.count()} vectors, not {head['size']}")
    return collection


def _hashes(folder: Path) -> dict[str, str]:
    hashes = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as handle:
            hashes[path.relative_to(folder).as_posix()] = hashlib.file_digest(handle, "sha256").hexdigest()
    return hashes


def _unusable(folder: Path, found: str) -> DataError:
    return DataError(
        f"index {folder}", expected="a Chroma index built here", found=found.rstrip("."), hint="Build it again."
    )
