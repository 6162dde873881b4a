import numpy as np

from ragbench.records.search import Ranked, RouteList
from ragbench.retriever.fusion import alpha_fusion, merged, min_max, ranking, rrf, scored


def arrays(*pairs):
    chunks, scores = zip(*pairs) if pairs else ((), ())
    return np.array(chunks, np.int64), np.array(scores, np.float64)


def plain(found):
    return list(zip(*(part.tolist() for part in found)))


def test_min_max() -> None:
    assert min_max(np.array([3.0, 2.0, 1.0])).tolist() == [1.0, 0.5, 0.0]
    assert min_max(np.array([0.2, 0.2])).tolist() == [1.0, 1.0]
    assert min_max(np.array([-5.0])).tolist() == [1.0]
    assert min_max(np.empty(0)).tolist() == []


def test_rrf_leaves_out_lists_without_weight() -> None:
    assert plain(rrf([np.array([5, 6]), np.array([7])], [1.0, 0.0], 60)) == [(5, 1 / 61), (6, 1 / 62)]
    assert plain(rrf([], [], 60)) == []
    assert plain(rrf([np.empty(0, np.int64)], [1.0], 60)) == []


def test_alpha_fusion_of_a_chunk_that_one_list_lacks() -> None:
    fused = plain(alpha_fusion(arrays((1, 0.9), (2, 0.1)), arrays((3, 4.0), (1, 2.0)), 0.25))
    assert fused == [(3, 0.75), (1, 0.25), (2, 0.0)]


def test_merged_keeps_a_single_list_whatever_its_weight() -> None:
    one = RouteList("dense", 0, (8, 2), (0.5, 0.4), weight=0.1)
    two = RouteList("dense", 1, (2,), (0.9,), weight=2.0)
    assert plain(merged([one], 60)) == [(8, 0.5), (2, 0.4)]
    assert plain(merged([one, two], 60)) == [(2, 0.1 / 62 + 2 / 61), (8, 0.1 / 61)]
    assert plain(merged([], 60)) == []


def test_records() -> None:
    assert plain(scored(RouteList("dense", 0, (), ()))) == []
    assert ranking(arrays((4, 0.5), (3, 0.25))) == (Ranked(4, 0.5, 1), Ranked(3, 0.25, 2))
