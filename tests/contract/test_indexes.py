"""The index contracts on every index, and on fakes that each break one rule."""

from __future__ import annotations

import inspect
import json
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ragbench.errors import DataError
from ragbench.index.base import Index
from ragbench.index.exact import ExactIndex
from ragbench.index.selection import best
from ragbench.testing.index_contract import DenseIndexContract


class TestExact(DenseIndexContract):
    def make(self) -> Index:
        return ExactIndex()


class TestChroma(DenseIndexContract):
    def make(self) -> Index:
        pytest.importorskip("chromadb", reason="needs the extra chroma")
        from ragbench.index.chroma import ChromaIndex

        return ChromaIndex(max_neighbors=48, ef_construction=400, ef_search=400)


class _Reader:
    """An honest reader in a few lines; each fake overrides one step of it."""

    def __init__(self, fake: Fake, rows: np.ndarray) -> None:
        self.fake, self.rows, self.size = fake, rows, len(rows)

    def search(self, query, depth, allowed=None):
        if self.size and query.shape != (self.rows.shape[1],) and self.fake.fault != "any dimension":
            raise DataError("query vector")
        if not np.isfinite(query).all() and self.fake.fault != "nan query":
            raise DataError("query vector")
        query = np.resize(query, self.rows.shape[1])
        length = 1 if self.fake.fault == "unscaled" else np.linalg.norm(query)
        scores = np.einsum("ij,j->i", self.rows, query / length).astype(np.float32)
        if self.fake.fault == "distance":
            scores = -scores
        numbers = np.arange(self.size, dtype=np.int32)
        if self.fake.fault == "unstable":
            scores = scores + np.float32(1e-6) * np.random.default_rng().standard_normal(self.size).astype(np.float32)
        if allowed is not None and self.fake.fault not in ("post filter", "no filter"):
            numbers = np.intersect1d(numbers, allowed).astype(np.int32)
            if self.fake.fault == "empty filter is none" and not len(allowed):
                numbers = np.arange(self.size, dtype=np.int32)
        if self.fake.fault == "ties reversed":
            order = np.lexsort((-numbers, -scores[numbers]))[:depth]
            return numbers[order], scores[numbers][order]
        found = best(scores[numbers], numbers, depth + (self.fake.fault == "one too many"))
        if allowed is not None and self.fake.fault == "post filter":
            kept = np.isin(found[0], allowed)
            found = found[0][kept], found[1][kept]
        if self.fake.fault == "wide types":
            return found[0].astype(np.int64), found[1].astype(np.float64)
        return found


@dataclass(frozen=True, kw_only=True)
class Fake(Index):
    fault: str

    def build(self, folder: Path, vectors, chunk_ids):
        if len(chunk_ids) != len(vectors) and self.fault != "ids uncounted":
            raise DataError("vectors")
        if not np.isfinite(vectors).all() and self.fault != "nan indexed":
            raise DataError("vectors")
        np.save(folder / "rows.npy", vectors)
        (folder / "where.json").write_text(json.dumps(str(folder)))
        recall = 0.5 if self.fault == "low recall" else 1.0
        chunks = {1} if self.fault == "facts no data" else len(vectors)
        return {"n_chunks": chunks, "bytes": 1, "recall_at_10": recall}

    @contextmanager
    def open(self, folder: Path):
        if not folder.is_dir():
            raise DataError("index")
        if self.fault == "bound to its place":
            folder = Path(json.loads((folder / "where.json").read_text()))
        if self.fault == "writes on opening":
            (folder / "log").write_text("opened")
        yield _Reader(self, np.load(folder / "rows.npy"))


FAULTS = (
    "distance",
    "unscaled",
    "ties reversed",
    "one too many",
    "post filter",
    "no filter",
    "empty filter is none",
    "wide types",
    "unstable",
    "bound to its place",
    "writes on opening",
    "any dimension",
    "nan query",
    "nan indexed",
    "ids uncounted",
    "low recall",
    "facts no data",
)


def _broken_rules(fault: str, tmp_path: Path) -> list[str]:
    suite = DenseIndexContract()
    suite.make = lambda: Fake(fault=fault)
    broken = []
    for name, test in inspect.getmembers(suite, inspect.ismethod):
        if name.startswith("test_"):
            (tmp_path / name).mkdir()
            try:
                test(tmp_path / name)
            except Exception:
                broken.append(name)
    return broken


def test_suite_accepts_an_honest_index(tmp_path: Path) -> None:
    assert _broken_rules("", tmp_path) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_suite_catches(fault: str, tmp_path: Path) -> None:
    assert _broken_rules(fault, tmp_path)
