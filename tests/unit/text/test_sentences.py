from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.text.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[s.start : s.end] for s in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("年假十天。病假五天！还有吗？", ["年假十天。", "病假五天！", "还有吗？"]),
        ("他说：“可以。”然后走了。", ["他说：“可以。”", "然后走了。"]),
        ("先登记；再领取。", ["先登记；", "再领取。"]),
        ("It works. Really! Why not? Yes", ["It works.", "Really!", "Why not?", "Yes"]),
        ("See e.g. Fig. 3 by Dr. Smith. Next.", ["See e.g. Fig. 3 by Dr. Smith.", "Next."]),
        ("Use v4.2. It costs 3.50 EUR. J. Doe agrees.", ["Use v4.2.", "It costs 3.50 EUR.", "J. Doe agrees."]),
        ("See sect. two of it. Next.", ["See sect. two of it.", "Next."]),
        ("“Stop.” He left.", ["“Stop.”", "He left."]),
        ("用 HaloBus 4.2 版。Then restart. 完成！", ["用 HaloBus 4.2 版。", "Then restart.", "完成！"]),
        ("价格是3.5元，not 4.5. 见附件", ["价格是3.5元，not 4.5.", "见附件"]),
    ],
)
def test_stops(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_structure_is_a_border_and_code_stays_whole() -> None:
    text = "# 标题 Title\n介绍一句\n\n- 第一项。补充\n- two\n\n| a | b |\n|---|---|\n| 1 | 2. 3 |\n\n```\nx = 1. 2\n\ny\n```\n尾"
    found = sentences(text)
    assert [(s.kind, text[s.start : s.end]) for s in found] == [
        ("heading", "# 标题 Title"),
        ("prose", "介绍一句"),
        ("item", "- 第一项。"),
        ("item", "补充"),
        ("item", "- two"),
        ("row", "| a | b |"),
        ("row", "| 1 | 2. 3 |"),
        ("code", "```\nx = 1. 2\n\ny\n```"),
        ("prose", "尾"),
    ]
    assert [s.marker for s in found if s.kind == "item"] == [2, 0, 2]


def test_a_wrapped_line_runs_on_and_a_short_one_does_not() -> None:
    wrapped = "The broker refuses to start when the data directory lies on a\nnetwork file system. Use a disk.\nName: Lee\nRole: ops"
    assert cut(wrapped) == [
        "The broker refuses to start when the data directory lies on a\nnetwork file system.",
        "Use a disk.",
        "Name: Lee",
        "Role: ops",
    ]


@pytest.mark.parametrize("text", ["", "   \n\n ", "---\n***", "|---|---|"])
def test_nothing_visible_gives_nothing(text: str) -> None:
    assert sentences(text) == []


def test_an_open_fence_reaches_the_end() -> None:
    assert cut("a.\n```\nb. c") == ["a.", "```\nb. c"]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="年假a. 。！?\n|-#`*“”1,；…\t:：(", max_size=80))
def test_spans_are_ordered_trimmed_and_lose_nothing_but_rules(text: str) -> None:
    found = sentences(text)
    at = 0
    for s in found:
        assert at <= s.start < s.end <= len(text)
        assert not text[s.start].isspace() and not text[s.end - 1].isspace()
        at = s.end
    held = {i for s in found for i in range(s.start, s.end)}
    assert not [i for i, c in enumerate(text) if i not in held and (c.isalnum() or c in "年假。！?；…")]


@pytest.mark.parametrize(
    "piece", ["没有标点", "a.", "| x ", "\n- ", "`", "“", "a long wrapped line that goes on and on, on and on and on\n"]
)
def test_a_huge_text_takes_no_minutes(piece: str) -> None:
    started = time.process_time()
    sentences(piece * 20_000)
    assert time.process_time() - started < 5
