"""Outline and uncuttable blocks."""

from __future__ import annotations

import time

import pytest

from ragbench.corpus.structure import structure


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in structure(text).blocks]


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ("# 一、总则\n文\n\n## 第一条 *年假*\n", [(0, 1, "一、总则"), (10, 2, "第一条 年假")]),
        ("Title\n=====\n\nSub\n---\n", [(0, 1, "Title"), (13, 2, "Sub")]),
        ("```\n# code\n```\n# real", [(15, 1, "real")]),
        ("~~~\n# code\n~~~\n\n### Three ###", [(16, 3, "Three")]),
        ("    # indented code\n\n# A [link](x) & `c`", [(21, 1, "A link & c")]),
        ("> # quoted\n\n- # listed\n", []),
        ("<!--\n# hidden\n-->\n\n#no blank\n\n####### seven", []),
        ("# 版本 v2 的 API\n# #", [(0, 1, "版本 v2 的 API"), (14, 1, "")]),
        ("", []),
    ],
)
def test_outline(text, outline):
    assert [(h.start, h.level, h.title) for h in structure(text).outline] == outline


def test_blocks_are_whole_lines():
    fence, table = "```py\nx = 1\n\n# no\n```\n", "| a | b |\n| - | - |\n| 1 | 2 |\n"
    text = f"# H\n\n{fence}\ntext | pipe\n\n{table}\nend"
    assert kinds(text) == [("heading", "# H\n"), ("fence", fence), ("table", table)]


def test_rows_without_delimiter_and_tables_without_outer_pipes():
    assert kinds("| a | b |\n| c | d |") == [("table", "| a | b |\n| c | d |")]
    assert kinds("a | b\n--|--\n1 | 2\n") == [("table", "a | b\n--|--\n1 | 2\n")]


def test_a_fence_in_a_list_is_a_block_and_an_unclosed_one_is_not():
    assert [kind for kind, _ in kinds("1. step\n\n   ```\n   code\n   ```\n")] == ["fence"]
    assert kinds("```\nnever closed\n# x\n") == []
    assert structure("```\nnever closed\n# x\n").outline == ()


@pytest.mark.parametrize(
    "piece", ["> " * 30 + "\n", "- " * 20 + "a\n", "`" * 9 + "\n", "|a" * 50 + "|\n", "# [[[*_`\n", "<div>\n"]
)
def test_hostile_text_takes_seconds(piece):
    started = time.process_time()
    structure(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 10
