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
from ragbench.index.base import Index
from ragbench.index.chroma_reader import ChromaReader, NoChunks
from ragbench.index.exact import FILE, stored_rows
from ragbench.index.recall import measured_recall, recall_facts
from ragbench.index.vectors import checked

SPACE = "cosine"
_DATA, _HEAD = "chroma", "index.json"
_ORDER_SEED = 20240


@dataclass(frozen=True, kw_only=True)
class ChromaIndex(Index):
    """HNSW graph in a persistent Chroma collection, cosine space.

    Approximate: recall against exact search is measured in every build and returned as `recall_at_10` and
    `recall_at_100`. The space is asserted on opening and is no choice here, because the library's default is squared
    L2. The vectors lie beside the collection once more (`vectors.npy`), so that filters are answered exactly.
    One process writes a folder: vectors of a second one would be lost without an error, so it is refused.

    Args:
        max_neighbors: links of a node.
        ef_construction: candidates looked at while linking.
        ef_search: candidates looked at while searching.
    """

    VERSION: ClassVar[int] = 3
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

        Raises DataError for anything but one finite vector a chunk and for a folder that holds an index or the
        beginning of one, MissingExtra without chromadb.
        """
        rows = checked(vectors, chunk_ids)
        chunk_set = fingerprint(list(chunk_ids))
        head = {"size": len(rows), "dimension": rows.shape[1], "chunk_set": chunk_set, "collection": chunk_set[:32]}
        np.save(folder / FILE, rows, allow_pickle=False)
        recall = self._fill(_fresh(folder / _DATA), rows, head) if len(rows) else recall_facts(None)
        write_json(folder / _HEAD, head | {"files": _hashes(folder / _DATA)})
        return {
            "n_chunks": len(rows),
            "dimension": rows.shape[1],
            "bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
            "vectors_bytes": (folder / FILE).stat().st_size,
            "chunk_set": chunk_set,
            **recall,
        }

    def _fill(self, data: Path, rows: Floats, head: dict[str, Any]) -> dict[str, float | None]:
        with _client(data) as client:
            n_batches = -(-len(rows) // client.get_max_batch_size())
            collection = client.create_collection(
                head["collection"],
                embedding_function=None,
                configuration={"hnsw": self._graph(len(rows) // n_batches)},
            )
            # A graph that is linked topic after topic, as documents come, finds less.
            order = np.random.default_rng(_ORDER_SEED).permutation(len(rows))
            for numbers in np.array_split(order, n_batches):
                collection.add(ids=[str(number) for number in numbers.tolist()], embeddings=rows[numbers])
            return measured_recall(rows, ChromaReader(collection, rows).search)

    def _graph(self, sync: int) -> dict[str, Any]:
        """`sync`: vectors after which the graph is written. What is left over at the end of a build would be linked
        anew whenever the index is opened, so each batch is as large as that or larger."""
        return {
            "space": SPACE,
            "max_neighbors": self.max_neighbors,
            "ef_construction": self.ef_construction,
            "ef_search": self.ef_search,
            "sync_threshold": max(sync, 2),
        }

    @contextmanager
    def open(self, folder: Path) -> Iterator[ChromaReader | NoChunks]:
        """See `Index.open`. Works on a private copy, since the client writes into every folder that it opens.

        Raises DataError when the folder holds no index, or one of another space or size; MissingExtra without chromadb.
        """
        try:
            head = read_json(folder / _HEAD)
        except (OSError, ValueError) as error:
            raise _unusable(folder, str(error)) from error
        if not head["size"]:
            yield NoChunks()
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
                reader = ChromaReader(_collection(client, head), _rows(folder, head))
                reader.search(np.ones(head["dimension"], np.float32), 1)
            except (MissingExtra, DataError):
                raise
            except Exception as error:  # the client raises its own kinds and those of its Rust binding
                raise _unusable(folder, str(error)) from error
            yield reader


def _fresh(data: Path) -> Path:
    """The folder, made here; a second writer of the same one does not come past this."""
    try:
        data.mkdir()
    except FileExistsError:
        raise DataError(
            f"index {data.parent}", expected="a folder of its own", found="one that another build writes or wrote"
        ) from None
    return data


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


def _rows(folder: Path, head: dict[str, Any]) -> Floats:
    """The vectors beside the collection; raises ValueError when they are not those of the head."""
    rows = stored_rows(folder)
    if rows.shape != (head["size"], head["dimension"]):
        raise ValueError(f"vectors of shape {list(rows.shape)}, not {[head['size'], head['dimension']]}")
    return rows


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
