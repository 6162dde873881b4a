"""Fusions against plain loops, with the worked numbers of the formulas."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.records.search import RouteList
from ragbench.retriever.hybrid import HybridRetriever
from ragbench.retriever.scaling import SCALES

EVEN = {"dense": 1.0, "sparse": 1.0}


def route_list(route: str, pairs, request: int = 0, weight: float = 1.0) -> RouteList:
    ordered = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    chunks, scores = (tuple(pair[at] for pair in ordered) for at in (0, 1))
    return RouteList(route=route, request=request, chunks=chunks, scores=scores, weight=weight)


def hybrid(fusion: str, alpha: float | None = 0.7, rrf_k: float = 60, weights=EVEN, scale="minmax") -> HybridRetriever:
    return HybridRetriever(fusion=fusion, alpha=alpha, scale=scale, rrf_k=rrf_k, weights=weights)


def rrf_by_loop(lists, weight_of, k) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for one in lists:
        if weight_of(one) > 0:
            for rank, hit in enumerate(one.hits, 1):
                scores[hit.chunk] = scores.get(hit.chunk, 0.0) + weight_of(one) / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def norms_by_loop(pairs) -> dict[int, float]:
    scores = [score for _, score in pairs]
    span = max(scores) - min(scores) if scores else 0.0
    return {chunk: (score - min(scores)) / span if span else 1.0 for chunk, score in pairs}


def z_by_loop(pairs) -> tuple[dict[int, float], float]:
    """Scores by chunk, and what a chunk counts that the list lacks."""
    scores = [Fraction(score) for _, score in pairs]
    if len(set(scores)) < 2:
        return {chunk: 1.0 for chunk, _ in pairs}, 0.0
    mean = sum(scores) / len(scores)
    # In exact fractions, scaled before the root: the smallest floats have squares that no float holds.
    widest = max(abs(score - mean) for score in scores)
    deviation = math.sqrt(sum(((score - mean) / widest) ** 2 for score in scores) / len(scores))
    found = {chunk: float((Fraction(score) - mean) / widest) / deviation for chunk, score in pairs}
    return found, min(found.values())


def alpha_by_loop(dense_pairs, sparse_pairs, alpha) -> list[tuple[int, float]]:
    dense, sparse = norms_by_loop(dense_pairs), norms_by_loop(sparse_pairs)
    scores = {c: alpha * dense.get(c, 0.0) + (1 - alpha) * sparse.get(c, 0.0) for c in dense.keys() | sparse.keys()}
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def plain(ranking) -> list[tuple[int, float]]:
    assert [row.rank for row in ranking] == list(range(1, len(ranking) + 1))
    assert all(row.former is None and math.isfinite(row.score) for row in ranking)
    assert all(type(row.chunk) is int and type(row.score) is float for row in ranking)
    return [(row.chunk, row.score) for row in ranking]


scores = st.floats(-2, 40, width=32) | st.sampled_from([0.0, 0.5, 0.5, 1.0])
pairs = st.dictionaries(st.integers(0, 30), scores, max_size=15).map(lambda found: list(found.items()))
lists = st.lists(
    st.builds(
        route_list,
        st.sampled_from(["dense", "sparse"]),
        pairs,
        st.integers(0, 3),
        st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    ),
    max_size=5,
)


@given(lists, st.sampled_from([0, 1, 60]))
def test_rrf(found, k: int) -> None:
    expected = rrf_by_loop(found, lambda one: one.weight, k)
    assert plain(hybrid("rrf", rrf_k=k).fuse(found)) == expected


@given(lists, st.sampled_from([(1.0, 0.0), (0.0, 2.0), (0.3, 0.7), (2.0, 1.0)]))
def test_weighted_rrf(found, both: tuple[float, float]) -> None:
    weights = dict(zip(("dense", "sparse"), both))
    expected = rrf_by_loop(found, lambda one: one.weight * weights[one.route], 60)
    assert plain(hybrid("weighted_rrf", weights=weights).fuse(found)) == expected


@given(pairs, pairs, st.floats(0.01, 0.99))
def test_alpha(dense, sparse, alpha: float) -> None:
    ranking = plain(hybrid("alpha", alpha).fuse([route_list("dense", dense), route_list("sparse", sparse)]))
    assert ranking == alpha_by_loop(dense, sparse, alpha)


@given(pairs, pairs, st.floats(0.01, 0.99))
def test_alpha_by_z_scores(dense, sparse, alpha: float) -> None:
    found = [route_list("dense", dense), route_list("sparse", sparse)]
    ranking = plain(hybrid("alpha", alpha, scale="zscore").fuse(found))
    (by_dense, no_dense), (by_sparse, no_sparse) = z_by_loop(dense), z_by_loop(sparse)
    expected = {
        chunk: alpha * by_dense.get(chunk, no_dense) + (1 - alpha) * by_sparse.get(chunk, no_sparse)
        for chunk in by_dense.keys() | by_sparse.keys()
    }
    assert dict(ranking) == pytest.approx(expected, abs=1e-9)
    assert ranking == sorted(ranking, key=lambda item: (-item[1], item[0]))


@pytest.mark.parametrize("scale", SCALES)
@given(pairs, pairs)
def test_alpha_one_is_dense_and_alpha_zero_is_sparse(scale: str, dense, sparse) -> None:
    found = [route_list("dense", dense), route_list("sparse", sparse)]
    for alpha, own in ((1, found[0]), (0, found[1]), (1.0, found[0]), (0.0, found[1])):
        ranking = plain(hybrid("alpha", alpha, scale=scale).fuse(found))
        assert [chunk for chunk, _ in ranking] == [hit.chunk for hit in own.hits]
        assert ranking == sorted(ranking, key=lambda item: -item[1])


@pytest.mark.parametrize("scale", SCALES)
def test_alpha_one_keeps_an_order_that_rounding_would_lose(scale: str) -> None:
    wide = [(9, 1e30), (5, math.nextafter(1.0, 2)), (2, 1.0), (1, 0.0)]
    ranking = hybrid("alpha", 1.0, scale=scale).fuse([route_list("dense", wide), route_list("sparse", [(0, 1.0)])])
    assert [row.chunk for row in ranking] == [9, 5, 2, 1]


@given(lists, st.floats(0.01, 0.99))
def test_alpha_joins_the_requests_of_a_route_by_rank_first(found, alpha: float) -> None:
    def one_route(route):
        own = [one for one in found if one.route == route]
        if len(own) == 1:
            return [(hit.chunk, hit.score) for hit in own[0].hits]
        return rrf_by_loop(own, lambda one: one.weight, 60)

    expected = alpha_by_loop(one_route("dense"), one_route("sparse"), alpha)
    assert plain(hybrid("alpha", alpha).fuse(found)) == expected


def test_worked_rrf() -> None:
    """Ranks 1 and 3: 1/61 + 1/63 = 0.03227."""
    found = [route_list("dense", [(7, 0.9), (1, 0.8)]), route_list("sparse", [(2, 9.0), (3, 8.0), (7, 7.0)])]
    best = hybrid("rrf").fuse(found)[0]
    assert best.chunk == 7
    assert best.score == 1 / 61 + 1 / 63
    assert best.score == pytest.approx(0.03227, abs=5e-6)


def test_worked_weighted_rrf() -> None:
    """Weights 2 and 1, ranks 1 and 3: 2/61 + 1/63."""
    found = [route_list("dense", [(7, 0.9), (1, 0.8)]), route_list("sparse", [(2, 9.0), (3, 8.0), (7, 7.0)])]
    best = hybrid("weighted_rrf", weights={"dense": 2, "sparse": 1}).fuse(found)[0]
    assert (best.chunk, best.score) == (7, pytest.approx(2 / 61 + 1 / 63))


def test_worked_alpha() -> None:
    """Dense .9 .5 .4 → 1, .2, 0; sparse 12, 2 → 1, 0; α .7: chunk 1 .7, chunk 2 .14 + .3, chunk 3 0, chunk 4 0."""
    found = [route_list("dense", [(1, 0.9), (2, 0.5), (3, 0.4)]), route_list("sparse", [(2, 12.0), (4, 2.0)])]
    ranking = plain(hybrid("alpha", 0.7).fuse(found))
    assert [chunk for chunk, _ in ranking] == [1, 2, 3, 4]
    assert [score for _, score in ranking] == pytest.approx([0.7, 0.44, 0, 0])


def test_worked_alpha_by_z_scores() -> None:
    """Dense 3, 2, 1 → z 1.2247, 0, −1.2247, lacking −1.2247; sparse 12, 2 → 1, −1, lacking −1; α 0.5."""
    found = [route_list("dense", [(1, 3.0), (2, 2.0), (3, 1.0)]), route_list("sparse", [(2, 12.0), (4, 2.0)])]
    ranking = plain(hybrid("alpha", 0.5, scale="zscore").fuse(found))
    assert [chunk for chunk, _ in ranking] == [2, 1, 3, 4]
    assert [score for _, score in ranking] == pytest.approx([0.5, 0.11237, -1.11237, -1.11237], abs=5e-6)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "alpha"])
def test_constant_scores_and_empty_routes_give_no_nan(fusion: str, scale: str) -> None:
    flat = [(chunk, 0.25) for chunk in (4, 1, 3)]
    for dense, sparse in ((flat, flat), (flat, []), ([], flat), ([], []), ([(1, 0.0)], [(1, 0.0)])):
        ranking = plain(hybrid(fusion, scale=scale).fuse([route_list("dense", dense), route_list("sparse", sparse)]))
        assert [chunk for chunk, _ in ranking] == sorted({chunk for chunk, _ in dense + sparse})
    assert hybrid(fusion, scale=scale).fuse([]) == ()


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "alpha"])
def test_ties_stand_in_chunk_order(fusion: str) -> None:
    found = [route_list("dense", [(9, 0.9), (4, 0.1)]), route_list("sparse", [(4, 0.9), (9, 0.1)])]
    ranking = hybrid(fusion, alpha=0.5).fuse(found)
    assert ranking[0].score == ranking[1].score
    assert [row.chunk for row in ranking] == [4, 9]


def test_fusing_two_hundred_questions_is_cheap() -> None:
    import time

    rng = np.random.default_rng(0)

    def full(route: str) -> RouteList:
        return route_list(route, zip(rng.choice(2000, 100, replace=False).tolist(), rng.random(100).tolist()))

    questions = [[full("dense"), full("sparse")] for _ in range(200)]
    times = []
    for _ in range(5):
        started = time.perf_counter()
        for found in questions:
            hybrid("alpha").fuse(found)
        times.append(time.perf_counter() - started)
    assert min(times) < 0.2, "some 20 ms on an idle machine"
