"""How much is packed, by the class of the question."""

from __future__ import annotations

from typing import Any

import pytest

from ragbench.errors import ConfigError
from ragbench.flow.adaptive_k import AdaptiveKFlow, scaled
from ragbench.records.question import Question
from ragbench.records.trace import QueryView
from tests.unit.flow.script import ScriptedBench

FACTORS = {
    "simple_lookup": 0.5,
    "ambiguous": 1.0,
    "unknown": 1.0,
    "comparison": 1.5,
    "multi_hop": 2.0,
    "decomposable": 2.0,
}


def flow(**given: Any) -> AdaptiveKFlow:
    own = {"k": 10, "recall_k": 20, "pool_depth": 40, "floor": 3, "factors": FACTORS}
    return AdaptiveKFlow(**(own | given))


@pytest.mark.parametrize("text", ["年假有几天？", "How many days?", "API 的 max_age？"])
@pytest.mark.parametrize(
    ("name", "k"),
    [
        ("simple_lookup", 5),
        ("ambiguous", 10),
        (None, 10),
        ("uncertain", 10),
        ("comparison", 15),
        ("multi_hop", 20),
        ("decomposable", 20),
    ],
)
def test_the_usual_table(text: str, name: str | None, k: int) -> None:
    bench = ScriptedBench(finds={text: range(30)}, understood={text: QueryView(name, "rules")})
    [trace] = flow().run([Question("q", text)], bench)
    assert trace.k == k and trace.recall_k is None
    assert trace.context is not None and len(trace.context.blocks[0].chunks) == k
    assert len(trace.reranked) == 30, "measures see the whole ranking"


@pytest.mark.parametrize(
    ("k", "factor", "found"), [(10, 0.5, 5), (5, 0.5, 3), (5, 1.5, 8), (3, 1.5, 5), (1, 0.5, 3), (7, 0.5, 4)]
)
def test_halves_are_rounded_up_and_the_floor_holds(k: int, factor: float, found: int) -> None:
    assert scaled(k, factor, 3) == found


def test_the_largest_k_must_be_among_the_candidates() -> None:
    with pytest.raises(ConfigError, match=r"k: expected at most recall_k \(19\).*Set recall_k=20"):
        flow(recall_k=19)
    assert flow().largest_k == 20 and flow().cuts.k == 10


@pytest.mark.parametrize(
    "factors",
    [
        {},
        {"simple_lookup": 1.0},
        FACTORS | {"more": 1.0},
        FACTORS | {"multi_hop": 0},
        FACTORS | {"multi_hop": "2"},
        FACTORS | {"multi_hop": float("inf")},
        None,
        [1],
    ],
)
def test_a_factor_for_each_class(factors: Any) -> None:
    with pytest.raises(ConfigError, match="factor"):
        flow(factors=factors)


def test_factors_and_floor_are_in_the_fingerprint() -> None:
    others = (flow(), flow(floor=2), flow(factors=FACTORS | {"multi_hop": 1.9}), flow(k=9))
    assert len({one.fingerprint() for one in others}) == 4
