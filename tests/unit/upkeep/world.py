"""A folder of documents, an index of it, and an embedder that counts what it is given."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.embedder.base import Embedder
from ragbench.embedder.cached import CachedEmbedder
from ragbench.run.build import experiment
from ragbench.text.terms import terms
from ragbench.upkeep.commit import Workplace
from ragbench.upkeep.folder import LiveFolder
from ragbench.upkeep.opened import opened
from ragbench.upkeep.update import Updated, Wish, update
from ragbench.upkeep.variant import Variant

SMALL = ("variant=hybrid", "chunk_unit=chars", "chunk_size=60", "overlap=0")
QUERIES = ("年假结转几天", "backup retention days", "Kubernetes 集群版本", "uid0003", "退款 refund 30", "的", "")


@dataclass(frozen=True, kw_only=True)
class BagEmbedder(Embedder):
    """Sums a fixed random direction for each term of a text."""

    name: str = "bag"

    @contextmanager
    def open(self) -> Iterator[BagWorker]:
        """Its worker."""
        yield BagWorker(self.fingerprint())


class BagWorker:
    """Counts the texts that it embeds; `embedded` holds each as often as it came."""

    dimension, max_tokens = 24, 10_000

    def __init__(self, space: str) -> None:
        self.space = space
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Any:
        """One row a text."""
        self.embedded += texts
        rows = np.array([self._row(text) for text in texts], np.float32).reshape(len(texts), self.dimension)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    embed_queries = embed_documents

    def _row(self, text: str) -> Any:
        seeds = [zlib.crc32(term.encode()) for term in terms(text)] or [0]
        return np.sum([np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds], axis=0)


composed = cache(experiment)


@dataclass
class World:
    """Documents in `folder`, and indexes of them below `root`, all on one store."""

    root: Path
    overrides: tuple[str, ...] = SMALL
    embedder: Embedder | None = field(default_factory=BagEmbedder)

    def __post_init__(self) -> None:
        self.folder = self.root / "docs"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.store = Store(self.root / "store")
        asked = composed(self.overrides)
        pipeline = replace(asked.pipeline, embedder=self.embedder) if self.embedder else asked.pipeline
        self.variant = Variant(pipeline, asked.loader)
        self.worker: Any = None

    def write(self, name: str, text: str, encoding: str = "utf-8", day: str = "") -> Path:
        """Write a document; `day` sets the date of the file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))
        if day:
            seconds = np.datetime64(day, "s").astype(int).item() + 43200
            os.utime(path, (seconds, seconds))
        return path

    def delete(self, name: str) -> None:
        """Delete a document."""
        (self.folder / name).unlink()

    def place(self, name: str = "live", **changes: Any) -> Workplace:
        """The workplace of an index."""
        variant = replace(self.variant, pipeline=replace(self.variant.pipeline, **changes)) if changes else self.variant
        return Workplace(LiveFolder(self.root / name), variant, self.open_embedder)

    def open_embedder(self) -> Any:
        """The embedder behind the cache of the store, opened once."""
        if self.worker is None:
            self._context = self.variant.pipeline.embedder.open()
            self.worker = self._context.__enter__()
        return CachedEmbedder(self.worker, self.store)

    def update(self, name: str = "live", **wish: Any) -> Updated:
        """Update an index, deletions included unless said otherwise."""
        return update(self.folder, self.place(name), Wish(**{"apply": True, "wait": 5.0} | wish))

    def statuses(self, **wish: Any) -> dict[str, str]:
        """Status of every document in a dry run."""
        done = self.update(**{"apply": False} | wish)
        assert done.written is None
        return {change.doc_id: change.status for change in done.plan.changes}

    def hashes(self, name: str = "live") -> dict[str, Any]:
        """Key, chunk set and file hashes of every part."""
        live = LiveFolder(self.root / name)
        found = {}
        for part in ("catalogue", "sparse", "dense"):
            head = live.head(part)
            if head is not None:
                found[part] = (head, read_json(live.path(part, head) / "_meta.json")["files"])
        return found

    def answers(self, name: str = "live", queries: Sequence[str] = QUERIES) -> list[Any]:
        """Chunks, and what each route finds for each query: id, score."""
        pipeline = self.variant.pipeline
        with opened(LiveFolder(self.root / name), self.variant) as built:
            ids = [chunk.chunk_id for chunk in built.chunks]
            found: list[Any] = [built.chunks]
            if built.sparse_folder:
                with pipeline.sparse.open(built.sparse_folder / "data") as sparse:
                    found += [_hits(ids, sparse.search(query, 20)) for query in queries]
            if built.index_folder:
                vectors = self.open_embedder().embed_queries([query or "x" for query in queries])
                with pipeline.index.open(built.index_folder / "data") as index:
                    found += [_hits(ids, index.search(vector, 20)) for vector in vectors]
            return found

    def ids(self, name: str = "live") -> list[str]:
        """Ids of the searched chunks."""
        return [chunk.chunk_id for chunk in self.answers(name, ())[0]]

    def found(self, query: str, name: str = "live") -> set[str]:
        """Documents that the sparse route finds."""
        pipeline = self.variant.pipeline
        with opened(LiveFolder(self.root / name), self.variant) as built:
            assert built.sparse_folder is not None
            with pipeline.sparse.open(built.sparse_folder / "data") as sparse:
                return {built.chunks[number].doc_id for number in sparse.search(query, 20)[0].tolist()}


def _hits(ids: list[str], found: Any) -> list[tuple[str, float]]:
    return [(ids[number], score) for number, score in zip(found[0].tolist(), found[1].tolist())]
