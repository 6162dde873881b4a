"""How lists of several forms of one question become one ranking."""

from dataclasses import replace

import numpy as np
import pytest

from ragbench.records.search import RouteList
from ragbench.retriever.dense import DenseRetriever
from ragbench.retriever.fusion import VOTED, best_of, merged, rrf, sum_of, votes
from ragbench.retriever.hybrid import HybridRetriever
from ragbench.retriever.sparse import SparseRetriever


def ints(*numbers: int):
    return np.array(numbers, np.int64)


def lists(join: str, weights=(1.0, 1.0)):
    first, second = weights
    return [
        RouteList("dense", 0, (1, 2, 3), (0.9, 0.8, 0.1), first, join=join),
        RouteList("sparse", 0, (3, 9), (7.0, 2.0), first, join=join),
        RouteList("dense", 1, (4, 2), (0.95, 0.2), second, join=join),
        RouteList("sparse", 1, (9, 4), (8.0, 1.0), second, join=join),
    ]


def hybrid(fusion: str, **changed) -> HybridRetriever:
    fields = {"alpha": None, "scale": "minmax", "rrf_k": 60, "weights": {"dense": 1.0, "sparse": 1.0}}
    return HybridRetriever(fusion=fusion, **(fields | changed))


def test_votes_count_lists_and_reciprocal_ranks_decide_between_equals() -> None:
    chunks, scores = votes([ints(1, 2), ints(3, 2), ints(3, 1)], [1, 1, 1], 60)
    assert chunks.tolist() == [3, 1, 2]
    assert [int(score) for score in scores] == [2, 2, 2]
    assert scores[0] == 2.5, "the best by reciprocal rank gets half the smallest weight more"


def test_a_list_votes_for_its_first_chunks_only() -> None:
    long = ints(*range(100, 100 + VOTED), 7)
    chunks, scores = votes([long, ints(5)], [1, 1], 60)
    by_chunk = dict(zip(chunks.tolist(), scores.tolist()))
    assert by_chunk[7] < 1 <= by_chunk[100 + VOTED - 1]
    assert set(by_chunk) == {*long.tolist(), 5}


def test_a_list_without_weight_neither_votes_nor_brings_candidates() -> None:
    assert votes([ints(1), ints(2)], [1, 0], 60)[0].tolist() == [1]
    assert votes([], [], 60)[0].tolist() == votes([ints()], [1], 60)[0].tolist() == []
    found = best_of([(ints(1), np.array([0.5])), (ints(2), np.array([9.0]))], [1, 0])
    assert found[0].tolist() == [1]
    assert best_of([], [])[0].tolist() == []


def test_scaled_scores_are_averaged_with_weights() -> None:
    lists = [(ints(1, 2, 3), np.array([9.0, 5.0, 1.0])), (ints(3, 4), np.array([0.4, 0.2]))]
    assert [part.tolist() for part in sum_of(lists, [3, 1])] == [[1, 2, 3, 4], [0.75, 0.375, 0.25, 0.0]]
    assert sum_of(lists, [1, 0])[0].tolist() == [1, 2, 3]
    assert sum_of([], [])[0].tolist() == sum_of([(ints(), np.array([]))], [1])[0].tolist() == []


def test_best_score_takes_the_highest_of_all_lists() -> None:
    found = best_of([(ints(1, 2), np.array([0.9, 0.3])), (ints(2, 3), np.array([0.8, -0.1]))], [1, 1])
    assert [part.tolist() for part in found] == [[1, 2, 3], [0.9, 0.8, -0.1]]
    assert best_of([(ints(1), np.array([0.4])), (ints(2), np.array([0.3]))], [1, 2])[0].tolist() == [2, 1]


@pytest.mark.parametrize(
    ("join", "expected"),
    [("rrf", [2, 1, 4, 3]), ("flat", [2, 1, 4, 3]), ("votes", [2, 1, 4, 3]), ("best", [4, 1, 2, 3])],
)
def test_one_route(join: str, expected: list[int]) -> None:
    assert [hit.chunk for hit in DenseRetriever(rrf_k=60).fuse(lists(join))] == expected
    assert [hit.chunk for hit in SparseRetriever(rrf_k=60).fuse(lists("best"))] == [9, 3, 4]


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "alpha"])
def test_flat_adds_up_all_lists_whatever_the_fusion(fusion: str) -> None:
    own = lists("flat", (1.0, 0.5))
    expected = rrf([ints(*one.chunks) for one in own], [1, 1, 0.5, 0.5], 60)
    found = hybrid(fusion, alpha=0.0 if fusion == "alpha" else None).fuse(own)
    assert [hit.chunk for hit in found] == expected[0].tolist()
    assert [hit.score for hit in found] == expected[1].tolist()


@pytest.mark.parametrize("join", ["votes", "best", "sum"])
def test_routes_are_joined_first_and_then_fused(join: str) -> None:
    own = lists(join)
    dense, sparse = (merged([one for one in own if one.route == route], 60)[0] for route in ("dense", "sparse"))
    assert [hit.chunk for hit in hybrid("rrf").fuse(own)] == rrf([dense, sparse], [1, 1], 60)[0].tolist()
    assert [hit.chunk for hit in hybrid("alpha", alpha=1).fuse(own)] == dense.tolist()
    assert [hit.chunk for hit in hybrid("alpha", alpha=0).fuse(own)] == sparse.tolist()


@pytest.mark.parametrize("join", ["rrf", "votes", "best", "sum"])
@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "alpha"])
def test_one_form_is_what_it_is_without_a_join(join: str, fusion: str) -> None:
    assert hybrid(fusion).fuse(lists(join)[:2])[0].chunk == hybrid(fusion).fuse(lists("rrf")[:2])[0].chunk
    alone = [replace(one, join=join) for one in lists("rrf")[:1]]
    assert DenseRetriever(rrf_k=60).fuse(alone) == DenseRetriever(rrf_k=60).fuse(lists("rrf")[:1])
