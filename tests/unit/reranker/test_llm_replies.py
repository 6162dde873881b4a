from __future__ import annotations

import math

import pytest

from ragbench.reranker.llm_replies import read_grade, read_order, yes_probability


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ({"Yes": 0.6, "No": 0.2}, 0.75),
        ({" yes": 0.3, "YES": 0.3, "是": 0.1, "No.": 0.1, "否": 0.2}, 0.7),
        ({"▁yes": 0.5}, 1.0),
        ({"**No**": 0.4, "Ｎｏ": 0.4}, 0.0),
        ({"不": 0.9, "是": 0.1}, 0.1),
        ({"Well": 0.9}, None),
        ({"Yes": 0.004, "No": 0.004, "<think>": 0.99}, None),
        ({}, None),
    ],
)
def test_probability_of_yes(first: dict[str, float], expected: float | None) -> None:
    assert yes_probability({token: math.log(p) for token, p in first.items()}) == expected


def test_no_probability_of_what_is_no_number() -> None:
    assert yes_probability({"Yes": math.nan, "No": math.nan}) is None
    assert yes_probability({"Yes": math.nan, "No": -0.1}) is None
    assert yes_probability({"Yes": -math.inf, "No": -0.1}) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3", 1.0), ("0", 0.0), ("Grade: 2.", 2 / 3), ("评分：１", 1 / 3), ("2/3", 2 / 3), ("**1**", 1 / 3), ("10", None),
     ("0.5", None), ("7", None), ("无", None), ("", None), ("15 days: 3", 1.0)],
)  # fmt: skip
def test_grades(text: str, expected: float | None) -> None:
    assert read_grade(text) == expected


@pytest.mark.parametrize(
    ("text", "order", "named"),
    [
        ("[3, 1, 2]", [2, 0, 1], 3),
        ("```json\n[3, 1, 2]\n```", [2, 0, 1], 3),
        ("Passage [2] is best of these 3.\n[2, 3, 1]", [1, 2, 0], 3),
        ("[2] > [3] > [1]", [1, 2, 0], 3),
        ("最有帮助：2 ＞ 1 ＞ 3", [1, 0, 2], 3),
        ("2, 3, 1", [1, 2, 0], 3),
        ("2\n3\n1", [1, 2, 0], 3),
        ("２、３、１", [1, 2, 0], 3),
        ('{"order": ["3", "2", "1"]}', [2, 1, 0], 3),
        ("[2, 2, 9, 0, 2]", [1, 0, 2], 1),
        ("[[3, 1], [2]]", [2, 0, 1], 3),
        ("[3, 1, 2", [2, 0, 1], 3),
        ("[2], because 15 > 3", [1, 0, 2], 1),
        ("Passage 3, Passage 1, Passage 2", [2, 0, 1], 3),
        ("**Passage 3**, Passage 1, and Passage 2.", [2, 0, 1], 3),
        ("Passages 3, 1, 2", [2, 0, 1], 3),
        ("Passage [3], Passage [1], Passage [2]", [2, 0, 1], 3),
        ("Passage [3] > Passage [1] > Passage [2]", [2, 0, 1], 3),
        ('["Document #3", "Document #1"]', [2, 0, 1], 2),
        ("1. Passage 3\n2. Passage 1\n3. Passage 2", [2, 0, 1], 3),
        ("1. 3\n2. 1\n3. 2", [2, 0, 1], 3),
        ("段落3、段落1、段落2", [2, 0, 1], 3),
        ("第３段，第1段，第 2 段", [2, 0, 1], 3),
        ("文档3 > Passage 1 > 2", [2, 0, 1], 3),
    ],
)
def test_orders(text: str, order: list[int], named: int) -> None:
    assert read_order(text, 3) == (order, named)


@pytest.mark.parametrize(
    "text", ["", "none", "Sorry, I looked at all 3 passages.", "[9, 10]", "[]", "第 1 段和第 2 段都不相关",
     "Passage 1, Passage 2 and Passage 3 are all irrelevant", "Irrelevant: Passage 1, Passage 2"],
)  # fmt: skip
def test_what_names_no_passage_is_no_order(text: str) -> None:
    assert read_order(text, 3) is None


def test_hostile_replies_take_no_time() -> None:
    for text in ("[" * 20_000, "[1," * 20_000, "1 > " * 20_000, "9" * 9000, "1 " * 20_000, "1" + " >" * 9000,
                 "Passage 1, " * 2000, "第 " * 9000, "1. " * 9000, " " * 20_000, "passage" + " " * 20_000):  # fmt: skip
        found = read_order(text, 5)
        assert found is None or sorted(found[0]) == [0, 1, 2, 3, 4]
