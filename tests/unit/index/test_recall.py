import numpy as np
import pytest

from ragbench.index.base import FoundList
from ragbench.index.recall import measured_recall, probes
from ragbench.index.selection import best
from ragbench.index.vectors import cosines
from ragbench.testing.index_contract import random_units


def searcher(rows, keep):
    def search(query) -> FoundList:
        return best(cosines(rows, query)[keep], keep, 10)

    return search


def test_exact_search_has_recall_one_and_nothing_found_zero() -> None:
    rows = random_units(500)
    assert measured_recall(rows, searcher(rows, np.arange(500, dtype=np.int32))) == 1.0
    assert measured_recall(rows, lambda query: (np.empty(0, np.int32), np.empty(0, np.float32))) == 0.0


def test_an_index_that_lost_half_of_the_chunks_shows() -> None:
    rows = random_units(2000)
    recall = measured_recall(rows, searcher(rows, np.arange(0, 2000, 2, dtype=np.int32)))
    assert recall == pytest.approx(0.5, abs=0.05)


def test_any_of_equal_vectors_counts() -> None:
    rows = np.repeat(random_units(1), 50, axis=0)
    assert measured_recall(rows, searcher(rows, np.arange(25, 50, dtype=np.int32))) == 1.0


def test_one_chunk_found_ten_times_counts_once() -> None:
    rows = np.repeat(random_units(1), 50, axis=0)
    assert measured_recall(rows, lambda query: (np.zeros(10, np.int32), np.ones(10, np.float32))) == pytest.approx(0.1)


def test_probes_are_repeatable_and_few() -> None:
    rows = random_units(1000)
    assert probes(rows).shape == (400, 16)
    assert np.array_equal(probes(rows), probes(rows))
    assert probes(rows[:3]).shape == (6, 16)
    assert measured_recall(rows[:0], lambda query: (np.empty(0, np.int32), np.empty(0, np.float32))) is None
