import pytest

from ragbench.errors import ConfigError
from ragbench.records.search import Ranked, RouteList
from ragbench.retriever.dense import DenseRetriever

OWN = RouteList("dense", 0, (4, 1, 7), (0.9, 0.5, 0.5))
VARIANT = RouteList("dense", 1, (7, 4), (0.8, 0.7), weight=2.0)
OTHER = RouteList("sparse", 0, (99,), (5.0,))


def test_one_list_is_the_ranking() -> None:
    ranking = DenseRetriever(rrf_k=60).fuse([OTHER, OWN])
    assert ranking == (Ranked(4, 0.9, 1), Ranked(1, 0.5, 2), Ranked(7, 0.5, 3))


def test_several_lists_are_fused_by_weighted_rank() -> None:
    ranking = DenseRetriever(rrf_k=60).fuse([OWN, VARIANT])
    expected = [(7, 1 / 63 + 2 / 61), (4, 1 / 61 + 2 / 62), (1, 1 / 62)]
    assert [(row.chunk, pytest.approx(row.score)) for row in ranking] == sorted(expected, key=lambda pair: -pair[1])


def test_nothing_found() -> None:
    stage = DenseRetriever(rrf_k=60)
    assert stage.fuse([]) == stage.fuse([OTHER]) == stage.fuse([RouteList("dense", 0, (), ())]) == ()


def test_settings() -> None:
    assert DenseRetriever.ROUTES == ("dense",)
    assert DenseRetriever(rrf_k=60) == DenseRetriever(rrf_k=60.0) != DenseRetriever(rrf_k=10)
    with pytest.raises(ConfigError, match=r"retriever.rrf_k: expected a number of 0 or more"):
        DenseRetriever(rrf_k=-1)
