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
from ragbench.sparse.analyser import jieba_terms
from ragbench.sparse.base import Sparse
from ragbench.sparse.bm25 import Bm25Sparse
from ragbench.testing.index_contract import DenseIndexContract
from ragbench.testing.sparse_contract import SparseIndexContract


class TestExact(DenseIndexContract):
    def make(self) -> Index:
        return ExactIndex()


class TestChroma(DenseIndexContract):
    def make(self) -> Index:
        pytest.importorskip("chromadb", reason="needs the extra chroma")
        from ragbench.index.chroma import ChromaIndex

        return ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)


class TestBm25Jieba(SparseIndexContract):
    def make(self) -> Sparse:
        return Bm25Sparse(analyser="jieba", stop_words="none", k1=1.5, b=0.75, method="lucene")


class TestBm25Bigram(SparseIndexContract):
    def make(self) -> Sparse:
        return Bm25Sparse(analyser="bigram", stop_words="none", k1=1.5, b=0.75, method="lucene")


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
        return {"n_chunks": chunks, "bytes": 1, "recall_at_10": recall, "recall_at_100": recall}

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


class _SparseReader:
    """Overlap of words, honest but for one fault."""

    def __init__(self, fault: str, texts: list[str]) -> None:
        self.fault, self.size = fault, len(texts)
        self.texts = [self._words(text) for text in texts]

    def _words(self, text: str) -> list[str]:
        return text.split() if self.fault == "blanks only" else jieba_terms(text)

    def search(self, text, depth, allowed=None):
        query = set(self._words(text))
        scores = np.array([len(query & set(words)) for words in self.texts], np.float32)
        numbers = np.arange(self.size, dtype=np.int32)
        if self.fault == "ties reversed":
            numbers = numbers[::-1]
        if allowed is not None and self.fault != "no filter":
            numbers = numbers[np.isin(numbers, allowed)]
        if self.fault == "clamps to one":
            depth = max(depth, 1)
        if self.fault != "zeros are hits":
            numbers = numbers[scores[numbers] > 0]
        order = np.argsort(-scores[numbers], kind="stable")[:depth]
        return numbers[order], scores[numbers[order]]


@dataclass(frozen=True, kw_only=True)
class SparseFake(Sparse):
    fault: str

    def build(self, folder: Path, texts):
        if not any(texts) and self.fault == "needs words":
            raise ValueError("empty vocabulary")
        stamp = str(folder) if self.fault == "other bytes" else ""
        (folder / "texts.json").write_text(json.dumps([stamp, list(texts)]))
        return {"n_chunks": len(texts)}

    @contextmanager
    def open(self, folder: Path):
        if self.fault == "writes on opening":
            (folder / "log").write_text("opened")
        yield _SparseReader(self.fault, json.loads((folder / "texts.json").read_text())[1])


SPARSE_FAULTS = (
    "blanks only",
    "ties reversed",
    "no filter",
    "clamps to one",
    "zeros are hits",
    "needs words",
    "other bytes",
    "writes on opening",
)


def _broken_rules(contract: type, stage, tmp_path: Path) -> list[str]:
    suite = contract()
    suite.make = lambda: stage
    broken = []
    for name, test in inspect.getmembers(suite, inspect.ismethod):
        if name.startswith("test_"):
            (tmp_path / name).mkdir()
            try:
                test(tmp_path / name)
            except Exception:
                broken.append(name)
    return broken


def test_suites_accept_an_honest_index(tmp_path: Path) -> None:
    for name in ("dense", "sparse"):
        (tmp_path / name).mkdir()
    assert _broken_rules(DenseIndexContract, Fake(fault=""), tmp_path / "dense") == []
    assert _broken_rules(SparseIndexContract, SparseFake(fault=""), tmp_path / "sparse") == []


@pytest.mark.parametrize("fault", FAULTS)
def test_dense_suite_catches(fault: str, tmp_path: Path) -> None:
    assert _broken_rules(DenseIndexContract, Fake(fault=fault), tmp_path)


@pytest.mark.parametrize("fault", SPARSE_FAULTS)
def test_sparse_suite_catches(fault: str, tmp_path: Path) -> None:
    assert _broken_rules(SparseIndexContract, SparseFake(fault=fault), tmp_path)
