"""What every dense index must do, as tests to inherit.

Subclass `DenseIndexContract` in a test module, give it `make()`, and pytest runs the whole suite on it. The names of
the tests are the rules.
"""

# ruff: noqa: D102

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ragbench.core.codec import dumps
from ragbench.core.workers import Floats
from ragbench.errors import UserError
from ragbench.index.base import FoundList, Index

_WIDTH = 16


def random_units(n: int, seed: int = 7, width: int = _WIDTH) -> Floats:
    """`n` random unit vectors [n, width]; the same for the same arguments."""
    rows = np.random.default_rng(seed).standard_normal((n, width))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def folder_hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def assert_well_formed(found: FoundList, size: int, depth: int) -> None:
    """Types, lengths, order and uniqueness that every found list has."""
    numbers, scores = found
    assert numbers.dtype == np.int32 and scores.dtype == np.float32, "chunk numbers are int32, scores float32"
    assert len(numbers) == len(scores) <= max(min(depth, size), 0), "no longer than the depth and the corpus"
    assert len(set(numbers.tolist())) == len(numbers), "no chunk twice"
    assert all(0 <= number < size for number in numbers), "only chunks that exist"
    assert np.isfinite(scores).all(), "scores are finite"
    keys = list(zip((-scores).tolist(), numbers.tolist()))
    assert keys == sorted(keys), "score descending, then chunk number"


def same(one: FoundList, other: FoundList) -> bool:
    """Whether two found lists are equal bit for bit."""
    return one[0].tolist() == other[0].tolist() and one[1].tobytes() == other[1].tobytes()


class DenseIndexContract:
    """Behaviour of a dense index. `tolerance` is how far a score may lie from the true cosine."""

    tolerance = 1e-5

    def make(self) -> Index:
        """The stage under test."""
        raise NotImplementedError

    def _built(self, folder: Path, vectors: Floats) -> Path:
        folder.mkdir(parents=True)
        self.make().build(folder, vectors, [f"c{number}" for number in range(len(vectors))])
        return folder

    def _search(self, folder: Path, vectors: Floats, searches: Sequence[tuple[Any, ...]]) -> list[FoundList]:
        with self.make().open(self._built(folder, vectors)) as reader:
            assert reader.size == len(vectors)
            found = [reader.search(*search) for search in searches]
        for one, search in zip(found, searches):
            assert_well_formed(one, len(vectors), search[1])
        return found

    def _expected(self, vectors: Floats, query: Floats, depth: int, allowed: Sequence[int] | None = None) -> list[int]:
        cosine = vectors.astype(np.float64) @ query / np.linalg.norm(query)
        numbers = range(len(vectors)) if allowed is None else allowed
        return sorted(numbers, key=lambda number: (-round(float(cosine[number]), 6), number))[:depth]

    def test_finds_the_nearest_by_cosine(self, tmp_path: Path) -> None:
        vectors = random_units(60)
        queries = [vectors[3], random_units(1, seed=9)[0], -vectors[5], 7.5 * vectors[11]]
        found = self._search(tmp_path / "i", vectors, [(query, 10) for query in queries])
        for query, (numbers, scores) in zip(queries, found):
            assert numbers.tolist() == self._expected(vectors, query, 10)
            assert np.allclose(scores, vectors[numbers] @ query / np.linalg.norm(query), atol=self.tolerance)

    def test_equal_vectors_stand_in_chunk_order(self, tmp_path: Path) -> None:
        vectors = np.repeat(random_units(4), 12, axis=0)[np.arange(48).reshape(4, 12).T.ravel()]
        for query in random_units(4):
            equal = [number for number in range(48) if np.array_equal(vectors[number], query)]
            folder = tmp_path / str(equal[0])
            whole, part, filtered = self._search(
                folder, vectors, [(query, 48), (query, 5), (query, 3, np.array(equal[4:], np.int32))]
            )
            assert whole[0].tolist()[:12] == equal
            assert part[0].tolist() == equal[:5]
            assert filtered[0].tolist() == equal[4:7]
            assert len(set(whole[1].tolist()[:12])) == 1, "equal vectors have equal scores"

    def test_depth_from_nothing_to_beyond_the_corpus(self, tmp_path: Path) -> None:
        vectors = random_units(9)
        found = self._search(tmp_path / "i", vectors, [(vectors[0], depth) for depth in (0, 1, 9, 10, 500)])
        assert [len(numbers) for numbers, _ in found] == [0, 1, 9, 9, 9]

    def test_empty_corpus(self, tmp_path: Path) -> None:
        nothing = np.empty((0, _WIDTH), np.float32)
        query = random_units(1)[0]
        found = self._search(tmp_path / "i", nothing, [(query, 5), (query, 5, np.array([0], np.int32))])
        assert [len(numbers) for numbers, _ in found] == [0, 0]

    def test_one_chunk(self, tmp_path: Path) -> None:
        vectors = random_units(1)
        (found,) = self._search(tmp_path / "i", vectors, [(vectors[0], 5)])
        assert found[0].tolist() == [0] and abs(float(found[1][0]) - 1) <= self.tolerance

    def test_filter_applies_before_the_cut(self, tmp_path: Path) -> None:
        vectors = random_units(400)
        query = random_units(1, seed=3)[0]
        farthest = sorted(self._expected(vectors, query, 400)[-20:])
        most = sorted(self._expected(vectors, query, 400)[30:])
        cases: list[list[int]] = [[], [7], farthest, most, list(range(400))]
        searches = [(query, 10, np.array(case, np.int32)) for case in cases]
        for case, (numbers, _) in zip(cases, self._search(tmp_path / "i", vectors, searches)):
            assert numbers.tolist() == self._expected(vectors, query, 10, case)

    def test_filter_that_fits_returns_all_of_it(self, tmp_path: Path) -> None:
        vectors = random_units(80)
        allowed = np.array([1, 5, 8, 79], np.int32)
        (found,) = self._search(tmp_path / "i", vectors, [(vectors[2], 30, allowed)])
        assert sorted(found[0].tolist()) == allowed.tolist()

    def test_repeats_bit_for_bit_and_survives_a_move(self, tmp_path: Path) -> None:
        vectors = random_units(50)
        folder = self._built(tmp_path / "before", vectors)
        with self.make().open(folder) as reader:
            first = reader.search(vectors[1], 20)
            assert same(first, reader.search(vectors[1], 20)), "the same search twice"
        moved = folder.rename(tmp_path / "after")
        with self.make().open(moved) as reader:
            for row in vectors[:5]:
                reader.search(row, 3)
            assert same(first, reader.search(vectors[1], 20)), "after a move, in another order of searches"

    def test_reading_leaves_the_folder_as_it_was(self, tmp_path: Path) -> None:
        folder = self._built(tmp_path / "i", random_units(40))
        before = folder_hashes(folder)
        for _ in range(2):
            with self.make().open(folder) as reader:
                reader.search(random_units(1)[0], 5)
                reader.search(random_units(1)[0], 5, np.arange(3, dtype=np.int32))
                assert folder_hashes(folder) == before, "while open"
        assert folder_hashes(folder) == before, "after closing"

    def test_two_indexes_in_one_process_share_nothing(self, tmp_path: Path) -> None:
        small, large = random_units(10, seed=1), random_units(30, seed=2)
        folders = [self._built(tmp_path / "a", small), self._built(tmp_path / "b", large)]
        with ExitStack() as stack:
            readers = [stack.enter_context(self.make().open(folder)) for folder in (*folders, folders[0])]
            assert [reader.size for reader in readers] == [10, 30, 10]
            assert same(readers[0].search(large[0], 10), readers[2].search(large[0], 10))
            assert readers[1].search(large[29], 1)[0].tolist() == [29]

    def test_facts_are_plain_data(self, tmp_path: Path) -> None:
        (tmp_path / "i").mkdir()
        facts = self.make().build(tmp_path / "i", random_units(30), [f"c{number}" for number in range(30)])
        dumps(facts)
        assert facts["n_chunks"] == 30 and facts["bytes"] > 0
        assert min(facts["recall_at_10"], facts["recall_at_100"]) >= 0.99

    def test_refuses_what_cannot_be_indexed_or_searched(self, tmp_path: Path) -> None:
        vectors = random_units(3)
        spoilt = vectors.copy()
        spoilt[1, 2] = np.nan
        cases: list[tuple[Floats, list[str]]] = [(vectors, ["a", "b"]), (spoilt, ["a", "b", "c"])]
        for at, (rows, ids) in enumerate(cases):
            (tmp_path / str(at)).mkdir()
            assert_refused(lambda at=at, rows=rows, ids=ids: self.make().build(tmp_path / str(at), rows, ids))
        with self.make().open(self._built(tmp_path / "i", vectors)) as reader:
            assert_refused(lambda: reader.search(random_units(1, width=_WIDTH + 1)[0], 2))
            assert_refused(lambda: reader.search(spoilt[1], 2))
        assert_refused(lambda: self.make().open(tmp_path / "no such folder").__enter__())


def assert_refused(action: Any) -> None:
    """The action raises an error written for people."""
    try:
        action()
    except UserError:
        return
    raise AssertionError("a UserError was expected")
