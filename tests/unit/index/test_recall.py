import numpy as np
import pytest

from ragbench.index.base import FoundList
from ragbench.index.exact import ExactReader
from ragbench.index.recall import DEPTHS, low_recall, measured_recall, probes, recall_facts
from ragbench.index.selection import best
from ragbench.index.vectors import cosines
from ragbench.testing.index_contract import random_units


def nothing(query, depth) -> FoundList:
    return np.empty(0, np.int32), np.empty(0, np.float32)


def searcher(rows, keep):
    def search(query, depth) -> FoundList:
        return best(cosines(rows, query)[keep], keep, depth)

    return search


def test_exact_search_has_recall_one_and_nothing_found_zero() -> None:
    rows = random_units(500)
    assert measured_recall(rows, searcher(rows, np.arange(500, dtype=np.int32))) == recall_facts(1.0)
    assert measured_recall(rows, nothing) == recall_facts(0.0)
    assert list(recall_facts(1.0)) == ["recall_at_10", "recall_at_100"]


def test_an_index_that_lost_half_of_the_chunks_shows() -> None:
    rows = random_units(2000)
    recall = measured_recall(rows, searcher(rows, np.arange(0, 2000, 2, dtype=np.int32)))
    assert recall == {name: pytest.approx(0.5, abs=0.05) for name in recall_facts(1.0)}


@pytest.mark.parametrize("n", [1, 7, 99])
def test_fewer_chunks_than_the_depth(n: int) -> None:
    rows = random_units(n)
    assert measured_recall(rows, ExactReader(rows).search) == recall_facts(1.0)


def test_each_depth_is_searched_by_itself() -> None:
    rows = random_units(300)

    def shallow(query, depth) -> FoundList:
        return best(cosines(rows, query), np.arange(300, dtype=np.int32), min(depth, 10))

    assert measured_recall(rows, shallow) == {"recall_at_10": 1.0, "recall_at_100": pytest.approx(0.1)}
    assert measured_recall(rows, shallow, (5, 20)) == {"recall_at_5": 1.0, "recall_at_20": pytest.approx(0.5)}
    assert DEPTHS == (10, 100)


def test_any_of_equal_vectors_counts() -> None:
    rows = np.repeat(random_units(1), 50, axis=0)
    assert measured_recall(rows, searcher(rows, np.arange(25, 50, dtype=np.int32)), (10,)) == {"recall_at_10": 1.0}


def test_one_chunk_found_ten_times_counts_once() -> None:
    rows = np.repeat(random_units(1), 50, axis=0)
    found = measured_recall(rows, lambda query, depth: (np.zeros(10, np.int32), np.ones(10, np.float32)), (10,))
    assert found == {"recall_at_10": pytest.approx(0.1)}


def test_probes_are_repeatable_and_few() -> None:
    rows = random_units(1000)
    assert probes(rows).shape == (400, 16)
    assert np.array_equal(probes(rows), probes(rows))
    assert probes(rows[:3]).shape == (6, 16)
    assert measured_recall(rows[:0], nothing) == recall_facts(None)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"recall_at_10": 0.985, "recall_at_100": 0.5}, "recall@10 0.985, recall@100 0.500"),
        ({"recall_at_10": 1.0, "recall_at_100": 0.9871}, "(recall@100 0.987, expected 0.99 or more)"),
        ({"recall_at_10": 0.99, "recall_at_100": 1.0}, None),
        (recall_facts(None), None),
        ({}, None),
    ],
)
def test_low_recall_is_told_with_what_to_do(facts, told: str | None) -> None:
    lines = low_recall(facts)
    assert len(lines) == (told is not None)
    for line in lines:
        assert told in line and line.startswith("warning") and "ef_search or ef_construction" in line
        assert "index=exact" in line
