"""Clauses, chapters and what only looks like them."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import ConfigError
from ragbench.splitter.clause import ClauseSplitter
from ragbench.splitter.clause_marks import clause_marks
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import make

DATA = Path(os.environ.get("RAGBENCH_DATA", Path(__file__).resolve().parents[3] / "../shared/data"))


def splitter(size=500, overlap=0, smallest=0, most=None):
    return ClauseSplitter(chunk_size=size, overlap=overlap, chunk_unit="chars", min_size=smallest, max_clause=most)


def texts(text, kind="md", **knobs):
    document = make(text, kind)
    return [document.text[span.start : span.end] for span in splitter(**knobs).spans(document)]


@pytest.mark.parametrize(
    "clauses",
    [
        ["第一条 为了规范休假，制定本办法。", "第二条 年假五天。\n\n依照第一条办理。", "第三条 自公布之日起施行。"],
        ["第九十九条　甲。", "第一百条　乙。", "第一百条之一　丙。", "第一百零一条　丁。"],
        ["第1条 甲方义务。", "第2条 乙方义务。", "第 3 条 违约责任。"],
        ["**第一条** 定义。", "**第二条** 价格。"],
        ["**第一条 定义**\n\n产品指货物。", "**第二条 价格**\n\n含税。"],
        ["### 第一条 定义\n\n产品指货物。\n\n#### 说明\n\n另行约定。", "### 第二条\n\n含税。"],
        ["第一條 為了規範。", "第二條 年假。"],
        ["【第一条】甲。", "【第二条】乙。"],
        ["第一条为了规范。", "第二条规定适用范围如下。", "第三条生效。"],
        ["第一条 （删除）", "第二条 乙。"],
        ["Article 1 Grant\n\nWe grant a right.", "Article 2 Fees\n\nFees are due."],
        ["### Article 1 Grant\n\n1.1 We grant.\n\n1.2 You pay.", "### Article 2 Term\n\n2.1 One year."],
        ["### Article 1 grant of right\n\nWe grant.", "### Article 2 fees\n\nYou pay."],
        ["Section 1.1 The parties agree.", "Section 1.2 “Goods” means goods.", "Section 1.3. Payment is due."],
        ["§ 1 Scope. All staff.", "§ 2 Leave. Five days.", "§ 2a Sick leave. Ten days.", "§ 3 End."],
        ["ARTICLE I\n\nAll powers.", "ARTICLE II\n\nThe president.", "ARTICLE III\n\nThe courts."],
        ["1.1 年假五天。", "1.2 病假十天。", "1.2.1 须附证明。", "1.3 事假须审批。"],
        ["2.1 You pay, see clause 2.2.", "2.2 We deliver.", "2.3 Both sign. 使用 API 须登记。"],
    ],
)
def test_one_clause_a_chunk(clauses):
    assert texts("\n\n".join(clauses)) == clauses
    assert texts("序言。\n\n" + "\n\n".join(clauses), "text" if "#" not in clauses[0] else "md") == ["序言。", *clauses]
    assert texts("\n\n".join(clauses), size=4) == clauses, "whole however long"


def test_headings_stay_with_the_first_clause_below():
    text = "# 劳动合同\n\n甲方：某公司\n\n## 第一编 总则\n\n### 第一章 期限\n\n第一条 甲。\n\n第二条 乙。\n\n### 第二章 工作\n\n第三条 丙。"
    assert texts(text) == [
        "# 劳动合同\n\n甲方：某公司",
        "## 第一编 总则\n\n### 第一章 期限\n\n第一条 甲。",
        "第二条 乙。",
        "### 第二章 工作\n\n第三条 丙。",
    ]


@pytest.mark.parametrize(
    "chapters",
    [
        ("第一章 总则", "第二章 休假"),
        ("**第一章 总则**", "附　则"),
        ("Part I", "Annex B Forms"),
        ("CHAPTER 1", "Schedule 2"),
    ],
)
def test_chapter_lines_need_no_marks(chapters):
    text = f"{chapters[0]}\n第一条 甲。\n第二条 乙。\n{chapters[1]}\n第三条 丙。"
    assert texts(text, "text") == [f"{chapters[0]}\n第一条 甲。", "第二条 乙。", f"{chapters[1]}\n第三条 丙。"]


def test_text_between_chapters_is_kept_and_cut_as_by_recursive():
    long = "本章说明如下，" * 30 + "完。"
    text = f"第一条 甲。\n\n第二条 乙。\n\n## 第二章 说明\n\n{long}\n\n第三条 丙。\n\n## 附录\n\n表格另行公布。"
    found = texts(text, size=60, smallest=5)
    assert found[:2] == ["第一条 甲。", "第二条 乙。"]
    assert found[-2:] == ["第三条 丙。", "## 附录\n\n表格另行公布。"]
    assert found[2].startswith("## 第二章 说明\n\n本章说明如下，")
    assert all(len(chunk) <= 60 for chunk in found)


def test_a_table_of_contents_is_no_trail():
    text = "目录\n第一章 总则\n第二章 休假\n第三章 附则\n\n第一章 总则\n第一条 甲。\n第二条 乙。"
    assert texts(text, "text") == [
        "目录\n第一章 总则\n第二章 休假\n第三章 附则",
        "第一章 总则\n第一条 甲。",
        "第二条 乙。",
    ]


@pytest.mark.parametrize(
    "reference",
    [
        "第十条规定的情形除外。",
        "第十条、第十一条另有约定的除外。",
        "第十条第二款的情形除外。",
        "Section 9 of this agreement applies.",
        "Article 9, 10 and 11 apply.",
    ],
)
def test_a_line_that_begins_with_a_reference_opens_nothing(reference):
    family = (
        ("第{}条 甲方如期付款。", "一二三") if "条" in reference else (f"{reference.split()[0]} {{}} Payment.", "123")
    )
    clauses = [family[0].format(number) for number in family[1]]
    assert texts(f"{clauses[0]}\n{reference}\n\n{clauses[1]}\n\n{clauses[2]}") == [
        f"{clauses[0]}\n{reference}",
        *clauses[1:],
    ]


@pytest.mark.parametrize(
    "wrapped",
    [
        "乙方违约的，依照\n第十条 违约责任 处理。",
        "as agreed in\nArticle 9 Payment, above.",
        "甲方、\n第二条 所列各方。",
    ],
)
def test_a_sentence_that_runs_on_is_not_cut(wrapped):
    first, second, third = "第一条 甲。", "第二条 乙。", "第三条 丙。"
    assert texts(f"{first}\n{wrapped}\n{second}\n{third}", "text") == [f"{first}\n{wrapped}", second, third]


def test_a_number_between_n_and_n_plus_one_is_a_quotation():
    text = "第一条 甲。\n\n第二条 修改如下：\n\n第四十条 新文。\n\n第三条 丙。"
    assert texts(text) == ["第一条 甲。", "第二条 修改如下：\n\n第四十条 新文。", "第三条 丙。"]


def test_titles_above_clauses_of_another_kind_are_headings():
    text = "ARTICLE I\nDefinitions\n\nARTICLE II\n\nSection 2.1 The rent.\n\nSection 2.2 The term."
    assert texts(text, "text") == [
        "ARTICLE I\nDefinitions",
        "ARTICLE II\n\nSection 2.1 The rent.",
        "Section 2.2 The term.",
    ]
    text = "1 范围\n\n1.1 总部\n\n1.1.1 员工适用。\n\n1.1.2 外包不适用。\n\n2 休假\n\n2.1 年假五天。\n\n2.2 病假十天。"
    assert texts(text, "text") == [
        "1 范围\n\n1.1 总部\n\n1.1.1 员工适用。",
        "1.1.2 外包不适用。",
        "2 休假\n\n2.1 年假五天。",
        "2.2 病假十天。",
    ]


def test_a_list_inside_a_clause_is_no_chapter():
    text = "1.1 须交：\n1. 申请单\n2. 证明\n\n1.2 三日内批复。\n\n2 病假\n\n2.1 附证明。\n\n2.2 可延长。"
    assert texts(text, "text")[:3] == ["1.1 须交：\n1. 申请单\n2. 证明", "1.2 三日内批复。", "2 病假\n\n2.1 附证明。"]


@pytest.mark.parametrize(
    "text",
    [
        "员工年假五天。依照第十条办理。\n\n第十条规定的除外。\n\n后文。",
        "只有一条。\n\n第五条 甲。\n\n" + "后文很长。" * 20,
        "Prices:\n\n3.5 kg of rice\n\n1.2 m of rope\n\n9.9 litres of oil, see Section 3 below.",
        "```\n第一条 甲\n第二条 乙\n第三条 丙\n```\n\n" + "说明文字。" * 20,
        "| 第一条 | 甲 |\n| 第二条 | 乙 |\n| 第三条 | 丙 |",
        "",
    ],
)
def test_a_document_without_clauses_is_cut_as_by_recursive(text):
    for overlap in (0, 5):
        plain = RecursiveSplitter(chunk_size=40, overlap=overlap, chunk_unit="chars", min_size=4)
        document = make(text)
        assert splitter(40, overlap, 4).spans(document) == plain.spans(document)


def test_long_clauses_are_flagged_and_cut_on_demand():
    long = "第二条 " + "乙方应当按时交付。" * 20
    text = f"第一条 甲。\n\n{long}\n\n第三条 丙。"
    spans = splitter(60).spans(make(text))
    assert [span.flags for span in spans] == [(), ("atomic",), ()]
    assert [span.flags for span in splitter(60, most=1000).spans(make(text))] == [(), ("atomic",), ()]
    found = texts(text, size=60, most=100)
    assert (found[0], found[-1]) == ("第一条 甲。", "第三条 丙。")
    assert len(found) == 6
    assert all(len(chunk) <= 60 and chunk.endswith("。") for chunk in found)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "10"])
def test_max_clause_is_a_whole_number(wrong):
    with pytest.raises(ConfigError, match="max_clause"):
        splitter(most=wrong)


@pytest.mark.parametrize(
    "piece",
    [
        "第", "第一", "第一条", "第一条\n", "第一条 甲。\n", "Article ", "Article 1\n", "§", "§ 1\n", "1.", "1.1", "1.1 x\n", "1 x\n",
        "#", "# ", "*", "　", "\n", "第一章\n", "附　", "I", "1.1.1.1.1.1.1\n", "第十条规定的\n",
    ],
)  # fmt: skip
def test_hostile_text_takes_linear_time(piece):
    document = make(piece * (200_000 // len(piece)), "text")
    started = time.process_time()
    splitter().spans(document)
    assert time.process_time() - started < 5


def test_five_times_the_text_takes_no_more_than_six_times_as_long():
    def seconds(n_clauses):
        clauses = [
            f"第{number}条 甲方应当依照第{number}条付款，逾期的，按日支付违约金。\n\n" for number in range(1, n_clauses)
        ]
        document = make("".join(clauses), "text")
        started = time.process_time()
        splitter().spans(document)
        return time.process_time() - started

    seconds(1000)
    assert seconds(25_000) < 5 * 6 * max(seconds(5_000), 0.02), "with a margin of 5 for a loaded machine"


@pytest.mark.data
def test_statutes_have_as_many_clauses_as_a_plain_pattern_finds():
    folder = DATA / "laws_zh"
    if not folder.is_dir():
        pytest.skip(f"no {folder}; set RAGBENCH_DATA")
    plain = re.compile(r"^第[一二三四五六七八九十百千零]+条", re.MULTILINE)
    documents = CorpusLoader().load(folder).documents
    statutes = [document for document in documents if len(plain.findall(document.text)) > 2]
    assert len(statutes) == 45
    for document in statutes:
        found = sum(mark.unit for mark in clause_marks(document))
        assert found == len(plain.findall(document.text)), document.doc_id
