"""Questions taken apart without a model."""

from __future__ import annotations

import time

import pytest

from ragbench.query.splitting import Part, chain, depth_of, parts, sides, split

PARTS = {
    "zh": ("宿舍坏了灯，找谁报修、多久能修好？", ["宿舍坏了灯，找谁报修", "宿舍坏了灯，多久能修好？"]),
    "en": (
        "The lamp is broken. Who repairs it, and how long may I wait for a new one?",
        ["The lamp is broken. Who repairs it", "The lamp is broken. how long may I wait for a new one?"],
    ),
    "mixed": (
        "API 网关报 E-12，谁值班？怎么重启 gateway？",
        ["API 网关报 E-12，谁值班？", "API 网关报 E-12，怎么重启 gateway？"],
    ),
}
SIDES = {
    "zh": ("请客吃饭，北厂和南厂哪个标准高", ["请客吃饭，北厂哪个标准高", "请客吃饭，南厂哪个标准高"]),
    "en": ("Retries in the client: 1.4 versus 2.0?", ["Retries in the client: 1.4?", "Retries in the client: 2.0?"]),
    "mixed": ("Plan A和Plan B有什么不同", ["Plan A有什么不同", "Plan B有什么不同"]),
}
CHAINS = {
    "zh": (
        "结算组的负责人的直属上级是谁？",
        [Part("结算组的负责人是什么？"), Part("结算组的负责人的直属上级是谁？", "#1的直属上级是谁？", (0,))],
    ),
    "en": (
        "Who is the manager of the head of the billing team?",
        [
            Part("What is the head of the billing team?"),
            Part("Who is the manager of the head of the billing team?", "Who is the manager of #1?", (0,)),
        ],
    ),
    "mixed": (
        "billing API 的 owner 的邮箱是多少？",
        [Part("billing API 的 owner 是什么？"), Part("billing API 的 owner 的邮箱是多少？", "#1的邮箱是多少？", (0,))],
    ),
}
WHOLE = {
    "zh": "差旅费报销要附哪些材料？",
    "en": "How many days of leave do I have in the first year?",
    "mixed": "LG-5 的 warranty 多久？",
}
LANGUAGES = ("zh", "en", "mixed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_question_keeps_the_statement_before_it(language: str) -> None:
    text, expected = PARTS[language]
    found = parts(text)
    assert found is not None and found.kind == "parts"
    assert [part.text for part in found.parts] == expected
    assert all(not part.needs for part in found.parts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sides_of_a_comparison(language: str) -> None:
    text, expected = SIDES[language]
    found = split(text)
    assert (found.kind, [part.text for part in found.parts]) == ("sides", expected)
    assert found == sides(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_chain_asks_for_the_inner_one_first(language: str) -> None:
    text, expected = CHAINS[language]
    found = split(text)
    assert (found.kind, list(found.parts), found.depth) == ("chain", expected, 2)


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("王工的上级的部门的邮箱是多少", 3),
        ("王工的上级的部门的主管的邮箱是多少", 4),
        ("Who is the deputy of the manager of the head of the billing team?", 3),
        ("先查谁负责，然后他的电话是多少", 2),
        ("Who chairs the board, and what is their phone number?", 2),
        ("What is Ann's manager's phone number?", 2),
        ("What is the price of each of the three largest plans?", 2),
        ("In which city is the company that made the Hawk engine?", 2),
    ],
)
def test_depth(text: str, depth: int) -> None:
    found = chain(text)
    assert found is not None and found.depth == depth


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_single_question_stays_whole(language: str) -> None:
    found = split(WHOLE[language])
    assert (found.kind, found.parts) == ("whole", (Part(WHOLE[language]),))


def test_sides_of_like_phrases_keep_what_both_share() -> None:
    found = sides("总部的人和分厂的人住店标准差多少")
    assert found is not None
    assert [part.text for part in found.parts] == ["总部的人住店标准差多少", "分厂的人住店标准差多少"]


@pytest.mark.parametrize(
    "text",
    [
        "研究和开发部的电话",
        "研究和开发部要几天批",
        "销售和市场部谁负责",
        "采购和合同的 review 要几天",
        "Who leads research and development?",
    ],
)
def test_words_of_one_name_are_no_sides(text: str) -> None:
    assert sides(text) is None
    assert split(text).kind == "whole"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("总部和苏州的住宿标准哪个高", ["总部的住宿标准哪个高", "苏州的住宿标准哪个高"]),
        ("北厂和南厂每周休几天", ["北厂每周休几天", "南厂每周休几天"]),
        ("云公司和总部，每人一天几次", ["云公司，每人一天几次", "总部，每人一天几次"]),
        ("苏州跟成都试制那边谁签字", ["苏州谁签字", "成都试制那边谁签字"]),
        ("Python 和 Go 的 client 怎么 retry？", ["Python 的 client 怎么 retry？", "Go 的 client 怎么 retry？"]),
    ],
)
def test_both_sides_keep_what_both_are_asked_of(text: str, expected: list[str]) -> None:
    found = sides(text)
    assert found is not None and [part.text for part in found.parts] == expected


@pytest.mark.parametrize(
    ("text", "second", "template"),
    [
        (
            "What is the limit in Beijing and how do I claim it?",
            "What is the limit in Beijing, how do I claim it?",
            "how do I claim it? #1",
        ),
        (
            "Who approves it? And where is it written down in Plan B?",
            "Who approves it? And where is it written down in Plan B?",
            "And where is it written down in Plan B? #1",
        ),
        ("灯坏了找谁修，它多久能修好？", "灯坏了找谁修，它多久能修好？", "它多久能修好？ #1"),
        ("API 网关谁值班，它怎么 restart？", "API 网关谁值班，它怎么 restart？", "它怎么 restart？ #1"),
    ],
)
def test_a_part_that_points_back_stands_with_what_it_points_at(text: str, second: str, template: str) -> None:
    found = split(text)
    assert (found.kind, found.parts[1]) == ("chain", Part(second, template, (0,)))


@pytest.mark.parametrize("text", ["", "   ", "？", "???", "\n", "和", "的的的的", "A or a?", "，，，"])
def test_nothing_to_take_apart(text: str) -> None:
    assert split(text).kind == "whole"


def test_long_and_hostile_texts_are_quick() -> None:
    for text in (
        "的" * 20_000,
        "a, and what " * 4_000,
        "X的" * 9_000 + "谁",
        "the a of " * 5_000,
        "和" * 20_000,
        "x" * 100_000,
    ):
        started = time.perf_counter()
        split(text)
        assert time.perf_counter() - started < 10, text[:20]


def test_depth_counts_the_longest_way() -> None:
    assert depth_of([]) == 0
    assert depth_of([Part("a"), Part("b"), Part("c", "#1", (0,)), Part("d", "#2 #3", (1, 2))]) == 3
