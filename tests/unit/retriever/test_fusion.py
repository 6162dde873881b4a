from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragbench.records.search import Ranked, RouteList
from ragbench.retriever.fusion import alpha_fusion, merged, ranking, rrf, scored


def arrays(*pairs):
    chunks, scores = zip(*pairs) if pairs else ((), ())
    return np.array(chunks, np.int64), np.array(scores, np.float64)


def plain(found):
    return list(zip(*(part.tolist() for part in found)))


def test_rrf_leaves_out_lists_without_weight() -> None:
    assert plain(rrf([np.array([5, 6]), np.array([7])], [1.0, 0.0], 60)) == [(5, 1 / 61), (6, 1 / 62)]
    assert plain(rrf([], [], 60)) == []
    assert plain(rrf([np.empty(0, np.int64)], [1.0], 60)) == []


def test_alpha_fusion_of_a_chunk_that_one_list_lacks() -> None:
    fused = plain(alpha_fusion(arrays((1, 0.9), (2, 0.1)), arrays((3, 4.0), (1, 2.0)), 0.25))
    assert fused == [(3, 0.75), (1, 0.25), (2, 0.0)]


def test_alpha_fusion_by_z_scores_of_a_chunk_that_one_list_lacks() -> None:
    """Dense 3, 2, 1 → ±√1.5 and 0, lacking −√1.5; sparse 8, 4 → 1, −1, lacking −1."""
    dense, sparse = arrays((1, 3.0), (2, 2.0), (3, 1.0)), arrays((2, 8.0), (4, 4.0))
    (chunks, scores), top = alpha_fusion(dense, sparse, 0.5, "zscore"), 1.5**0.5
    assert chunks.tolist() == [2, 1, 3, 4]
    assert scores == pytest.approx([0.5, (top - 1) / 2, (-top - 1) / 2, (-top - 1) / 2])


def test_a_lone_hit_of_one_route_counts_in_both_scales() -> None:
    """One identifier found by words alone must not drown: 1 for it, 0 for what the list lacks."""
    dense, sparse = arrays((1, 0.9), (2, 0.8), (3, 0.7)), arrays((3, 4.0))
    for scale in ("minmax", "zscore"):
        assert alpha_fusion(dense, sparse, 0.2, scale)[0].tolist()[0] == 3


def test_merged_keeps_a_single_list_whatever_its_weight() -> None:
    one = RouteList("dense", 0, (8, 2), (0.5, 0.4), weight=0.1)
    two = RouteList("dense", 1, (2,), (0.9,), weight=2.0)
    assert plain(merged([one], 60)) == [(8, 0.5), (2, 0.4)]
    assert plain(merged([one, two], 60)) == [(2, 0.1 / 62 + 2 / 61), (8, 0.1 / 61)]
    assert plain(merged([], 60)) == []


def test_records() -> None:
    assert plain(scored(RouteList("dense", 0, (), ()))) == []
    assert ranking(arrays((4, 0.5), (3, 0.25))) == (Ranked(4, 0.5, 1), Ranked(3, 0.25, 2))


LISTS = st.lists(
    st.tuples(st.lists(st.integers(0, 11), max_size=6, unique=True), st.sampled_from(["0", "0.1", "0.3", "0.7", "1"])),
    min_size=1,
    max_size=8,
)


@example(lists=[([6, 2], "0.1"), ([2, 3], "0.1"), ([2, 6], "0.1"), ([3, 2], "0.3")], k="0.5")
@settings(max_examples=300)
@given(lists=LISTS, k=st.sampled_from(["0", "0.5", "1", "60"]))
def test_rrf_orders_as_fractions_do_and_ties_by_chunk(lists, k) -> None:
    sums: dict[int, Fraction] = {}
    for chunks, weight in lists:
        for rank, chunk in enumerate(chunks if weight != "0" else (), 1):
            sums[chunk] = sums.get(chunk, Fraction(0)) + Fraction(weight) / (Fraction(k) + rank)
    order = sorted(sums, key=lambda chunk: (-sums[chunk], chunk))
    arrays = [np.array(chunks, np.int64) for chunks, _ in lists]
    chunks, scores = rrf(arrays, [float(weight) for _, weight in lists], float(k))
    assert chunks.tolist() == order
    assert scores.tolist() == pytest.approx([float(sums[chunk]) for chunk in order], rel=1e-14)
    for one, other, high, low in zip(order, order[1:], scores.tolist(), scores.tolist()[1:], strict=False):
        assert high > low or (high == low and sums[one] == sums[other])


def test_equal_sums_in_another_order_are_ties() -> None:
    """1/67 + 1/61 + 1/62 adds up to a smaller float than 1/61 + 1/62 + 1/67."""
    assert (1 / 67 + 1 / 61) + 1 / 62 < (1 / 61 + 1 / 62) + 1 / 67
    tops = ((5, 9, 1), (1, 5, 9), (9, 1, 5))
    lists = [np.array([one, two, *range(20 + 4 * at, 24 + 4 * at), last]) for at, (one, two, last) in enumerate(tops)]
    chunks, scores = rrf(lists, [1.0] * 3, 60)
    assert chunks.tolist()[:3] == [1, 5, 9] and len(set(scores.tolist()[:3])) == 1
