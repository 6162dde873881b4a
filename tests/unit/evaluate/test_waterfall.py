"""The waterfall adds up; one bad category beside healthy ones stands out."""

import pytest

from ragbench.evaluate.losses import Loss
from ragbench.evaluate.waterfall import misrouted, standing_out, waterfall


def test_levels_add_up_to_the_population_in_the_order_of_the_layers():
    counts = {"unused": 2, "ok": 5, "chunk_cut": 1, "novel": 3, "ranked_out": 0}
    levels = waterfall(counts)
    assert [(one.name, one.lost, one.left) for one in levels] == [
        ("chunk_cut", 1, 10),
        ("unused", 2, 8),
        ("novel", 3, 5),
    ]
    assert levels[-1].left == counts["ok"]
    assert waterfall({}) == waterfall({"ok": 3}) == []
    every = waterfall({loss.value: 1 for loss in Loss})
    assert [one.name for one in every] == [loss.value for loss in Loss if loss is not Loss.OK]
    assert every[-1].left == 1


HEALTHY = {"ok": 28, "unused": 2}


@pytest.mark.parametrize("name", ["多跳", "multi_hop"])
def test_one_bad_category_beside_healthy_ones(name):
    bad = {"not_recalled": 12, "ok": 3}
    found = standing_out({"a": HEALTHY, "b": HEALTHY, name: bad})
    assert found is not None
    assert (found.category, found.n, found.lost, found.n_others, found.lost_others) == (name, 15, 12, 60, 4)


@pytest.mark.parametrize(
    "categories",
    [
        {"a": HEALTHY, "b": HEALTHY},
        {"a": {"not_recalled": 12, "ok": 3}, "b": {"not_recalled": 11, "ok": 3}, "c": HEALTHY},
        {"a": HEALTHY, "few": {"not_recalled": 4}},
        {"a": HEALTHY, "negative": {"false_answer": 12, "ok": 3}},
        {"only": {"not_recalled": 12, "ok": 3}},
        {},
    ],
    ids=["none is bad", "two are", "too few questions", "answered without evidence", "no others", "nothing"],
)
def test_nothing_stands_out(categories):
    assert standing_out(categories) is None


def test_misrouted_counts_only_what_is_labelled_and_told():
    assert misrouted([("simple", "simple"), ("simple", "multi_hop"), (None, "simple"), ("simple", None)]) == (1, 2)
