"""Which variants a sweep has: grids, ranges, axes varied alone, and axes that only some variants have."""

from __future__ import annotations

import pytest

from ragbench.errors import ConfigError, Problems
from ragbench.run.grid import axes, expand, values_of
from ragbench.run.points import plan_grid
from ragbench.run.shape import Shape, when_of

CHEAP = ["generator=none", "judge=none", "variant=hybrid"]


def values(override: str) -> list[str]:
    return [item.partition("=")[2] for item in values_of(override)]


def test_ranges_have_both_ends_and_no_noise() -> None:
    assert values("alpha=0:1:0.1") == ["0.0", *(f"0.{n}" for n in range(1, 10)), "1.0"]
    assert values("k=10:1:-3") == ["10", "7", "4", "1"]
    assert values("alpha=0:0.95:0.5") == ["0.0", "0.5"]
    assert values("alpha=range(0,1,0.1)") == [f"0.{n}" for n in range(10)]
    assert values("k=range(1,10)") == [str(n) for n in range(1, 10)]
    assert axes(["k=1:1:1", "alpha=0:1:0.5", "variant=bm25"]) == ["alpha"]
    assert expand(['question="0:1:1"']) == [('question="0:1:1"',)], "what is quoted is a value"


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("k=1:10:0", "FROM:TO:STEP that comes to its end, found a step of 0 from 1 to 10"),
        ("k=1:10:-1", "a step of -1 from 1 to 10"),
        ("k=0:1:0.0001", "at most 1000 values"),
        ("k=range(1,100000)", "at most 1000 values"),
        ("alpha=interval(0,1)", "an interval, which has no steps. Write alpha=0:1:0.1"),
        ("splitter=glob(*)", "found a pattern"),
    ],
)
def test_what_is_no_list_of_values_is_one_line(override: str, words: str) -> None:
    with pytest.raises(ConfigError, match="override") as error:
        values_of(override)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_axes_varied_alone_go_around_the_base() -> None:
    points, notes = plan_grid([*CHEAP, "alpha=0.2,0.4,0.8", "k=3,5"], Shape(alone=True))
    assert [point.label for point in points] == ["base", "alpha=0.2", "alpha=0.8", "k=3"]
    assert [dict(point.at) for point in points] == [
        {"alpha": "0.4", "k": "5"},
        {"alpha": "0.2", "k": "5"},
        {"alpha": "0.8", "k": "5"},
        {"alpha": "0.4", "k": "3"},
    ]
    assert notes == ["alpha=0.4 is the same variant as base", "k=5 is the same variant as base"]
    assert [twin.label for twin in points[0].twins] == ["alpha=0.4", "k=5"]


def test_an_axis_is_varied_only_where_it_exists() -> None:
    weight = "pipeline.reranker.relevance_weight"
    points, notes = plan_grid([*CHEAP, "reranker=none,mmr", f"{weight}=0.3,0.9"])
    assert [dict(point.at) for point in points] == [
        {"reranker": "none"},
        {"reranker": "mmr", weight: "0.3"},
        {"reranker": "mmr", weight: "0.9"},
    ]
    assert notes == [f"{weight} is not varied where it does not exist: reranker=none"]


def test_an_axis_that_exists_nowhere_is_a_slip() -> None:
    with pytest.raises(Problems, match=r"pipeline\.reranker\.relevance_wight: expected") as error:
        plan_grid([*CHEAP, "reranker=none,mmr", "pipeline.reranker.relevance_wight=0.3,0.9"])
    assert "Nothing was computed." in str(error.value)


def test_a_condition_says_where_an_axis_is_varied() -> None:
    asked = [*CHEAP, "retriever=sparse,hybrid,dense", "k=3,5"]
    shape = Shape(when=(when_of("k:retriever=hybrid", ["retriever", "k"]),))
    points, _ = plan_grid(asked, shape)
    assert [point.label for point in points] == [
        "retriever=sparse",
        "retriever=hybrid k=3",
        "retriever=hybrid k=5",
        "retriever=dense",
    ]
    preset = ["generator=none", "judge=none", "variant=bm25,hybrid", "alpha=0.1,0.9"]
    points, notes = plan_grid(preset, Shape(when=(when_of("alpha:retriever=hybrid", ["variant", "alpha"]),)))
    assert [point.label for point in points] == ["variant=bm25", "variant=hybrid alpha=0.1", "variant=hybrid alpha=0.9"]
    assert notes == [], "what a preset chooses counts too"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("alpha", "expected KEY:OTHER=VALUE"),
        ("alpha:retriever=", "expected KEY:OTHER=VALUE"),
        ("alpah:retriever=hybrid", r"expected a key that is varied \(alpha, k\), found alpah"),
        ("k:k=1", "expected another key"),
    ],
)
def test_a_condition_that_is_none_is_one_line(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        when_of(text, ["alpha", "k"])


def test_a_condition_that_holds_nowhere_is_a_slip() -> None:
    shape = Shape(when=(when_of("alpha:retriever=hybird", ["alpha"]),))
    with pytest.raises(Problems, match="--when alpha:retriever=hybird: expected a value that retriever has"):
        plan_grid([*CHEAP, "alpha=0.1,0.9"], shape)


def test_an_idle_axis_has_no_place_and_its_points_are_one_variant() -> None:
    points, _ = plan_grid([*CHEAP, "retriever=sparse,hybrid", "alpha=0.1,0.9"])
    assert [dict(point.at) for point in points] == [
        {"retriever": "sparse"},
        {"retriever": "hybrid", "alpha": "0.1"},
        {"retriever": "hybrid", "alpha": "0.9"},
    ]
    assert [twin.label for twin in points[0].twins] == ["retriever=sparse alpha=0.9"]
