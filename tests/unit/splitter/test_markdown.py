"""Sections, fences and tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.corpus.structure import structure
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.testing.splitter_contract import documents, make


def splitter(size=500, overlap=0, smallest=0, most=None):
    return MarkdownSplitter(chunk_size=size, overlap=overlap, chunk_unit="chars", min_size=smallest, max_atomic=most)


def texts(text, kind="md", **knobs):
    document = make(text, kind)
    return [(document.text[span.start : span.end], span.flags) for span in splitter(**knobs).spans(document)]


def plain(text, kind="md", **knobs):
    return [chunk for chunk, _ in texts(text, kind, **knobs)]


@pytest.mark.parametrize(
    ("title", "body"),
    [("第一章 总则", "年假五天。"), ("Scope", "Five days."), ("API 说明", "batch 上限 10。")],
    ids=["zh", "en", "mixed"],
)
def test_headings_of_every_level_are_borders(title, body):
    text = "前言 preface\n\n" + "\n\n".join(f"{'#' * level} {title} {level}\n\n{body}" for level in range(1, 7))
    assert plain(text) == ["前言 preface"] + [f"{'#' * level} {title} {level}\n\n{body}" for level in range(1, 7)]


def test_a_heading_inside_a_fence_is_no_border():
    text = "# A\n\n```\n# not\n```\n\n# B\n\nx"
    assert plain(text) == ["# A\n\n```\n# not\n```", "# B\n\nx"]


def test_long_fences_and_tables_stay_whole_and_are_flagged():
    fence = "```\n" + "line of code\n" * 20 + "```"
    table = "\n".join(["| a | b |", "| - | - |"] + ["| 一 | two |"] * 20)
    text = f"# A\n\nintro sentence here.\n\n{fence}\n\nmiddle sentence.\n\n{table}\n\nend of it."
    found = texts(text, size=60)
    assert [chunk for chunk, flags in found if flags] == [fence, table]
    assert all(len(chunk) <= 60 for chunk, flags in found if not flags)


def test_max_atomic_cuts_between_rows_only():
    rows = [f"| row {n} | some longer text, with a comma. And a sentence |" for n in range(20)]
    found = plain("# T\n\n" + "\n".join(rows), size=200, most=300)
    assert len(found) > 3
    assert [row for chunk in found for row in chunk.split("\n") if row.startswith("|")] == rows


def test_a_heading_stays_with_its_table_and_its_text():
    table = "\n".join(["| 级别 | 标准 |"] * 12)
    assert texts(f"## 标准\n\n{table}\n\n" + "后文。" * 40, size=130)[0][0] == f"## 标准\n\n{table}"
    assert plain("## A long heading here\n\n" + "word " * 60, size=60)[0].startswith("## A long heading here\n\nword")


def test_short_sections_join_their_first_sub_section():
    text = "# 手册\n\n## 第一章\n\n### 第一条\n\n员工年假为五天，可以分次使用，不跨年度。\n\n## 第二章\n\n短。"
    assert plain(text, smallest=20) == [text.split("\n\n## 第二章")[0], "## 第二章\n\n短。"]


def test_short_sections_do_not_join_their_siblings():
    assert plain("## 一\n\n甲。\n\n## 二\n\n乙。", smallest=20) == ["## 一\n\n甲。", "## 二\n\n乙。"]


def test_a_heading_is_not_left_alone_where_its_text_can_be_cut():
    text = "## A heading of some length\n\n" + "one sentence of words without any commas that is long"
    assert plain(text, size=60)[0].startswith("## A heading of some length\n\none sentence of words")


def test_kinds_without_structure_are_one_section():
    text = "# looks like\n\n| a | b |\n\n# headings"
    assert plain(text, "text") == [text]


@settings(max_examples=150, deadline=None)
@given(documents(), st.integers(8, 120), st.integers(0, 7))
def test_no_fence_or_table_is_ever_cut_and_no_border_crossed(document, size, overlap):
    spans = splitter(size, overlap, None).spans(document)
    if document.doc_type != "md":
        return
    blocks = [block for block in structure(document.text).blocks if block.kind != "heading"]
    for span in spans:
        for block in blocks:
            for cut in (span.start, span.end):
                inside = document.text[block.start : cut].strip() and document.text[cut : block.end].strip()
                assert not (block.start < cut < block.end and inside), f"{span} cuts {block}"
