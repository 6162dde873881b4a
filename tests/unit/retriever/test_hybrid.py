import pytest

from ragbench.errors import ConfigError
from ragbench.records.search import RouteList
from ragbench.retriever.hybrid import HybridRetriever

FIELDS = {"fusion": "alpha", "alpha": 0.4, "scale": "minmax", "rrf_k": 60, "weights": {"dense": 1.0, "sparse": 1.0}}
LISTS = [
    RouteList("dense", 0, (1, 2, 3), (0.9, 0.8, 0.1)),
    RouteList("sparse", 0, (3, 9), (7.0, 2.0)),
]


def hybrid(**changed) -> HybridRetriever:
    return HybridRetriever(**(FIELDS | changed))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fusion", "borda"),
        ("alpha", -0.1),
        ("alpha", 1.01),
        ("alpha", float("nan")),
        ("alpha", "0.5"),
        ("alpha", True),
        ("scale", "robust"),
        ("scale", None),
        ("rrf_k", -1),
        ("rrf_k", float("inf")),
        ("rrf_k", None),
        ("weights", {"dense": 1.0}),
        ("weights", {"dense": 1.0, "sparse": 1.0, "graph": 1.0}),
        ("weights", {"dense": 0, "sparse": 0}),
        ("weights", {"dense": -1, "sparse": 1}),
        ("weights", [1, 1]),
        ("weights", None),
    ],
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"retriever.{name}"):
        hybrid(**{name: value})


def test_no_alpha_means_the_own_default_shown_resolved() -> None:
    own = hybrid(alpha=None)
    assert own.fuse(LISTS) == hybrid(alpha=0.4).fuse(LISTS) != hybrid(alpha=0.2).fuse(LISTS)
    assert own.resolved() == hybrid(alpha=0.4)
    assert own.resolved().fingerprint() == hybrid(alpha=0.4).fingerprint()
    assert hybrid(alpha=0.2).resolved().alpha == 0.2
    assert hybrid(alpha=0).resolved().alpha == 0


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf"])
def test_what_a_fusion_by_rank_does_not_read_is_idle_and_takes_no_part(fusion: str) -> None:
    stage = hybrid(fusion=fusion, scale="zscore", alpha=0.2)
    assert stage.idle_fields()["scale"] == stage.idle_fields()["alpha"] == f"fusion={fusion}"
    assert stage.fuse(LISTS) == hybrid(fusion=fusion).fuse(LISTS)
    assert stage.resolved().fingerprint() == hybrid(fusion=fusion).resolved().fingerprint()
    assert set(hybrid(scale="zscore").idle_fields()) == {"weights"}
    assert hybrid(scale="zscore").resolved().scale == "zscore"


@pytest.mark.parametrize(
    ("name", "value"),
    [("fusion", "rrf"), ("alpha", 0.3), ("scale", "zscore"), ("rrf_k", 10), ("weights", {"dense": 2.0, "sparse": 1.0})],
)
def test_every_setting_is_in_the_fingerprint(name: str, value) -> None:
    assert hybrid(**{name: value}).fingerprint() != hybrid().fingerprint()
    assert hybrid(**{name: value}) != hybrid()


def test_is_a_value() -> None:
    assert len({hybrid(), hybrid()}) == 1
    weights = {"dense": 1.0, "sparse": 1.0}
    stage = hybrid(weights=weights)
    weights["dense"] = 9.0
    assert stage == hybrid(), "a mapping changed later does not change the stage"


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "alpha"])
def test_does_not_depend_on_the_order_of_the_routes(fusion: str) -> None:
    assert hybrid(fusion=fusion).fuse(LISTS) == hybrid(fusion=fusion).fuse(LISTS[::-1])


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "alpha"])
def test_lists_of_other_routes_are_not_looked_at(fusion: str) -> None:
    graph = RouteList("graph", 0, (77,), (1.0,))
    assert hybrid(fusion=fusion).fuse([*LISTS, graph]) == hybrid(fusion=fusion).fuse(LISTS)


def test_a_request_of_one_route_only() -> None:
    assert [row.chunk for row in hybrid(alpha=0.3).fuse(LISTS[:1])] == [1, 2, 3]


def test_needs_both_routes() -> None:
    assert HybridRetriever.ROUTES == ("dense", "sparse")
