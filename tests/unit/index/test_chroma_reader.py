"""Filters and ties of a Chroma collection against exact search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.index import chroma_reader
from ragbench.index.chroma import ChromaIndex
from ragbench.index.exact import ExactIndex
from ragbench.testing.index_contract import assert_well_formed, random_units, same

INDEX = ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)
SIZE = 1500


@dataclass(frozen=True)
class Pair:
    """Both indexes of the same rows, open."""

    rows: np.ndarray
    chroma: chroma_reader.ChromaReader
    exact: object

    def filtered(self, query, depth: int, allowed) -> None:
        """The same list, bit for bit."""
        found = self.chroma.search(query, depth, allowed)
        assert same(found, self.exact.search(query, depth, allowed))
        assert len(found[0]) == min(depth, len(allowed)) and set(found[0].tolist()) <= set(allowed.tolist())

    def agree(self, query, depth: int) -> None:
        """The same list, but for what lies within rounding of each other."""
        found, truth = self.chroma.search(query, depth), self.exact.search(query, depth)
        assert_well_formed(found, len(self.rows), depth)
        assert len(found[0]) == len(truth[0]) == min(depth, len(self.rows))
        assert np.allclose(found[1], truth[1], atol=1e-5)
        for number, other, score in zip(found[0], truth[0], truth[1]):
            assert number == other or abs(self.rows[number] @ query - score) < 1e-5


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> Iterator[Pair]:
    pytest.importorskip("chromadb", reason="needs the extra chroma")
    with both(tmp_path_factory.mktemp("pair"), random_units(SIZE)) as made:
        yield made


@contextmanager
def both(folder: Path, rows) -> Iterator[Pair]:
    for name, index in (("chroma", INDEX), ("exact", ExactIndex())):
        (folder / name).mkdir()
        index.build(folder / name, rows, [str(n) for n in range(len(rows))])
    with INDEX.open(folder / "chroma") as chroma, ExactIndex().open(folder / "exact") as exact:
        yield Pair(rows, chroma, exact)


@pytest.mark.parametrize("depth", [1, 10, 100, SIZE, SIZE + 5])
def test_without_a_filter(pair: Pair, depth: int) -> None:
    for query in random_units(5, seed=5):
        pair.agree(query, depth)


# Metadata of the chunks: a department, a tenant that few have, a year.
_RNG = np.random.default_rng(3)
DEPARTMENT, YEAR = _RNG.integers(0, 6, SIZE), _RNG.integers(2015, 2027, SIZE)
TENANT = np.where(_RNG.random(SIZE) < 0.1, _RNG.integers(1, 4, SIZE), 0)
LEAVES = st.one_of(
    st.integers(0, 7).map(lambda value: value == DEPARTMENT),
    st.sets(st.integers(0, 7), max_size=4).map(lambda values: np.isin(DEPARTMENT, list(values))),
    st.integers(0, 4).map(lambda value: value == TENANT),
    st.tuples(st.integers(2014, 2028), st.integers(2014, 2028)).map(lambda span: (span[0] <= YEAR) & (span[1] > YEAR)),
    st.integers(0, SIZE - 1).map(lambda number: np.arange(SIZE) == number),
    st.just(np.ones(SIZE, bool)),
)
WHERE = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.booleans(), st.lists(inner, min_size=1, max_size=3)).map(
        lambda joined: (np.logical_and if joined[0] else np.logical_or).reduce(joined[1])
    ),
    max_leaves=5,
)


@settings(max_examples=80, deadline=None)
@given(WHERE, st.integers(0, 50), st.sampled_from([1, 10, 120]))
def test_any_filter_on_metadata(pair: Pair, where, seed: int, depth: int) -> None:
    pair.filtered(random_units(1, seed=seed)[0], depth, np.flatnonzero(where).astype(np.int32))


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 700, SIZE - 1, SIZE])
@pytest.mark.parametrize("nearest", [True, False])
def test_filters_of_every_size_near_the_query_and_far_from_it(pair: Pair, n: int, nearest: bool) -> None:
    query = random_units(1, seed=8)[0]
    order = np.argsort(pair.rows @ query)
    numbers = np.sort(order[::-1][:n] if nearest else order[:n]).astype(np.int32)
    for depth in (1, 10, 100):
        pair.filtered(query, depth, numbers)


def test_k_hits_come_back_although_the_graph_finds_fewer(pair: Pair) -> None:
    forgetful = chroma_reader.ChromaReader(Forgetful(pair.chroma._collection), pair.rows)
    Pair(pair.rows, forgetful, pair.exact).agree(pair.rows[7], 20)


class Forgetful:
    """A collection whose graph finds three chunks."""

    def __init__(self, collection) -> None:
        self._query = collection.query

    def query(self, **asked):
        answer = self._query(**asked)
        return {name: [answer[name][0][:3]] for name in ("ids", "distances")}


def test_equal_vectors_at_the_cut_of_a_filtered_list(tmp_path: Path) -> None:
    pytest.importorskip("chromadb", reason="needs the extra chroma")
    rows = np.concatenate([random_units(20), np.repeat(random_units(1, seed=4), 600, axis=0)])
    with both(tmp_path, rows) as pair:
        for allowed in (np.arange(0, 620, 2), np.arange(310, 620)):
            numbers = allowed.astype(np.int32)
            found = pair.chroma.search(rows[60], 5, numbers)
            assert found[0].tolist() == numbers[numbers >= 20][:5].tolist()


def test_the_same_search_gives_the_same_bits_on_every_opening(pair: Pair, tmp_path: Path) -> None:
    (tmp_path / "i").mkdir()
    INDEX.build(tmp_path / "i", pair.rows, [str(n) for n in range(SIZE)])
    lists = []
    for _ in range(3):
        with INDEX.open(tmp_path / "i") as reader:
            lists.append([reader.search(query, 100) for query in random_units(20, seed=2)])
    assert all(same(*both) for other in lists[1:] for both in zip(lists[0], other))
