from __future__ import annotations

import math

import numpy as np
import pytest

from ragbench.reranker.fusion_features import FEATURES, features, pairs_of, shares


def test_shares_weigh_rare_terms_more() -> None:
    held = [{"leave", "days"}, {"leave"}, {"claim"}]
    common, rare = math.log(1 + 3.5 / 2.5), math.log(1 + 3.5 / 1.5)
    assert shares(["leave", "days"], held) == pytest.approx([1.0, common / (common + rare), 0.0])
    assert shares([], held) == [0.0, 0.0, 0.0]
    assert shares(["x"], []) == []


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("年假。天", ["年假", "假天"]),
        ("Ａb-B c", ["ab", "bb", "bc"]),
        ("年 leave 年l", ["年l", "le", "ea", "av", "ve", "e年"]),
        ("a", []),
        ("", []),
        ("?!。", []),
    ],
)
def test_pairs(text: str, pairs: list[str]) -> None:
    assert list(pairs_of(text)) == pairs


@pytest.mark.parametrize("question", ["年假有几天？", "How many days of leave?", "年假 leave 几天", "", "??", "\ud800"])
def test_every_feature_lies_between_0_and_1(question: str) -> None:
    texts = ["年假 15 天", "annual leave: 15 days", "", "报销" * 5000, "\0\udfff"]
    found = features(question, texts, [5, 4, 3, 2, 1], [0.9, 0.8, 0.1, 0.7, 0.7])
    assert tuple(found) == FEATURES
    for values in found.values():
        assert values.shape == (5,)
        assert np.isfinite(values).all() and values.min() >= 0 and values.max() == 1


def test_the_scale_of_the_first_stage_does_not_show() -> None:
    texts = ["年假", "leave", "claim"]
    one = features("年假", texts, [0.9, 0.5, 0.1], [0.3, 0.2, 0.1])
    other = features("年假", texts, [90.0, 50.0, 10.0], [30.0, 20.0, 10.0])
    for name in FEATURES:
        np.testing.assert_allclose(one[name], other[name], atol=1e-12)
