"""The two sides of a stored index, each written whole from a chunk set, with what the last one knew already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.core.codec import read_json, read_jsonl, write_json, write_jsonl
from ragbench.core.fingerprint import quick_key, text_hash
from ragbench.core.workers import Floats, TextEmbedder
from ragbench.pipeline.pipeline import Pipeline
from ragbench.upkeep.catalogue import ChunkSet
from ragbench.upkeep.folder import Head
from ragbench.upkeep.variant import SIDE_OF

ROWS, DATA, VECTORS, LINES, _MADE_WITH = "rows.jsonl", "data", "vectors.npy", "lines.jsonl.gz", "made_with.json"
EmbedderOpener = Callable[[], TextEmbedder]


@dataclass(frozen=True)
class Vectors:
    """Vectors of passages by the hash of their text, as a dense side keeps them: what the embedder gave."""

    places: Mapping[str, int]
    rows: Floats

    @classmethod
    def of_side(cls, folder: Path | None, space: str) -> Vectors:
        """Those of a dense side, not read before they are used; none without a readable one of this vector space."""
        try:
            if folder is None or not _is_made_with(folder, space):
                return cls.none()
            places = {row[2]: number for number, row in enumerate(read_jsonl(folder / ROWS))}
            return cls(places, np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False))
        except (OSError, ValueError, IndexError):
            return cls.none()

    @classmethod
    def none(cls) -> Vectors:
        """No vectors."""
        return cls({}, np.empty((0, 0), np.float32))

    def cover(self, texts: Sequence[str], embedder: EmbedderOpener) -> Covered:
        """A vector for each text. Distinct ones that are not known here go to the embedder, which is not opened for
        none."""
        hashes = [text_hash(text) for text in texts]
        asked = {one: text for one, text in zip(hashes, texts) if one not in self.places}
        fresh, n_embedded = _embedded(list(asked.values()), embedder) if asked else (self.rows[:0], 0)
        added = {one: len(self.rows) + number for number, one in enumerate(asked)}
        places = [self.places[one] if one in self.places else added[one] for one in hashes]
        return Covered(self.rows, fresh, np.array(places, np.int64), len(asked) - n_embedded, n_embedded)


@dataclass(frozen=True)
class Covered:
    """Vectors of a list of texts, of which only those asked for are read: text n has row `places[n]` of `known` and
    `fresh` one after the other. Of the fresh ones `n_cached` came from the store and `n_embedded` were computed."""

    known: Floats
    fresh: Floats
    places: NDArray[np.int64]
    n_cached: int
    n_embedded: int

    def take(self, numbers: Sequence[int] | NDArray[np.int64]) -> Floats:
        """Vectors [n, dimension] of the texts with these numbers."""
        places = self.places[np.asarray(numbers, np.int64)]
        old = places < len(self.known)
        rows = np.empty((len(places), self.fresh.shape[1]), np.float32)
        if old.any():
            rows[old] = self.known[places[old]]
        rows[~old] = self.fresh[places[~old] - len(self.known)]
        return rows


def _embedded(texts: list[str], embedder: EmbedderOpener) -> tuple[Floats, int]:
    """Vectors of distinct texts, and how many of them were computed now rather than taken from a cache."""
    opened = embedder()
    before = getattr(opened, "n_embedded", None)
    rows = np.asarray(opened.embed_documents(texts), np.float32)
    return rows, len(texts) if before is None else getattr(opened, "n_embedded", 0) - before


def side_head(side: str, pipeline: Pipeline, chunks: ChunkSet) -> Head:
    """The head of a side that holds a chunk set."""
    stages = [getattr(pipeline, SIDE_OF[side]).recipe()]
    if side == "dense":
        stages.append(pipeline.embedder.fingerprint())
    return Head(quick_key("side", side, stages, chunks.key), chunks.key, len(chunks.chunks))


def write_sparse(target: Path, pipeline: Pipeline, chunks: ChunkSet, before: Path | None) -> dict[str, int]:
    """Write the sparse side into an empty folder; `before` is the last one, whose lines are not cut into words again.

    BM25's statistics are of the whole chunk set: weights are computed anew, from all terms at once.
    """
    recipe = pipeline.sparse.fingerprint()
    notes = _lines(before, recipe)
    known = len(notes)
    pipeline.sparse.build_noting(_data(target), chunks.texts, notes)
    used = {line for text in chunks.texts for line in text.split("\n")}
    write_jsonl(target / LINES, sorted([line, notes[line]] for line in used if line in notes))
    _write_rows(target, chunks, recipe)
    return {"lines_read": len(notes) - known, "lines_known": len(used & notes.keys()) - len(notes) + known}


def write_dense(
    target: Path, pipeline: Pipeline, chunks: ChunkSet, vectors: Vectors, embedder: EmbedderOpener
) -> dict[str, Any]:
    """Write the dense side into an empty folder. A text whose vector is among `vectors` is not embedded again.

    The vectors are kept beside the index as they came, so that an index of any kind can be built from them again.
    """
    covered = vectors.cover(chunks.texts, embedder)
    rows = covered.take(range(len(chunks.texts)))
    np.save(target / VECTORS, rows, allow_pickle=False)
    facts = pipeline.index.build(_data(target), rows, [chunk.chunk_id for chunk in chunks.chunks])
    _write_rows(target, chunks, pipeline.embedder.fingerprint())
    n_kept = len(set(chunks.texts)) - len(covered.fresh)
    return {
        "vectors_kept": n_kept,
        "from_the_cache": covered.n_cached,
        "embedded": covered.n_embedded,
        **{name: fact for name, fact in facts.items() if name.startswith("recall_at_")},
    }


def _write_rows(target: Path, chunks: ChunkSet, made_with: str) -> None:
    write_json(target / _MADE_WITH, made_with)
    rows = zip(chunks.chunks, chunks.digests)
    write_jsonl(target / ROWS, ([chunk.chunk_id, digest, text_hash(chunk.index_text)] for chunk, digest in rows))


def _is_made_with(folder: Path, recipe: str) -> bool:
    """Whether what a side knows of single texts holds for a recipe."""
    return bool(read_json(folder / _MADE_WITH) == recipe)


def _lines(folder: Path | None, recipe: str) -> dict[str, list[str]]:
    try:
        return dict(read_jsonl(folder / LINES)) if folder is not None and _is_made_with(folder, recipe) else {}
    except (OSError, ValueError, EOFError):
        return {}


def _data(target: Path) -> Path:
    folder = target / DATA
    folder.mkdir()
    return folder
