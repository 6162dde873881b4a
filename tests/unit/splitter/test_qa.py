"""Pairs of a question and its answer, and what is none."""

from __future__ import annotations

import time

import pytest

from ragbench.corpus.load_html import load_html
from ragbench.corpus.loader import make_document
from ragbench.errors import ConfigError
from ragbench.splitter.qa import QaSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import make


def splitter(size=500, overlap=0, smallest=0, most=None):
    return QaSplitter(chunk_size=size, overlap=overlap, chunk_unit="chars", min_size=smallest, max_pair=most)


def cut(document, **knobs):
    return [document.text[span.start : span.end] for span in splitter(**knobs).spans(document)]


def texts(text, kind="md", **knobs):
    return cut(make(text, kind), **knobs)


@pytest.mark.parametrize(
    "pairs",
    [
        ["Q: How many days?\nA: Five.", "Q: Who approves?\nA: Your manager.\n\nIn writing."],
        ["问：年假几天？\n答：五天。", "问：谁批？\n答：直属上级。"],
        ["**问：年假几天？**\n答：五天。", "**问：代码 `P-31`？**\n答：废粉盒已满。\n\n| a | b |\n| 一 | 二 |"],
        ["**Q1.** How many days?\n\nFive.", "**Q2.** Who approves?\n\nYour manager."],
        ["Q1. 年假几天？\n五天。", "Q2. API 超时怎么办？\nRetry once."],
        ["Question 1: Describe your leave.\nAnswer: Five days.", "Question 2: Who approves it\nAnswer: HR."],
        ["问题一：年假几天\n答复：五天。", "问题二：谁批\n答复：上级。"],
        ["【问】年假几天\n【答】五天。", "【问】谁批\n【答】上级。"],
        ["- Q: One?\n- A: Two.", "- Q: Three?\n- A: Four."],
        ["Q: One? A: Two.", "Q: Three? A: Four."],
        ["### Q: How many days?\n\nFive.\n\n#### Note\n\nNot in the first year.", "### Q: Who approves?\n\nHR."],
        ["## 年假有多少天？\n\n五天。", "## 可以按小时休吗\n\n不可以。\n\n### 例外\n\n成都。"],
        ["## Can I pause?\n\nNo.", "## How long is a trial?\n\n```\n# not a heading?\n21 days\n```"],
        ["**Can I pause?** No.", "**How long is a trial?** 21 days.\n\nThen it ends."],
        ["1. 年假几天？\n五天。", "2. 谁批？\n直属上级。", "3. API 限额？\n100 次。"],
        ["（1）年假几天？\n\n五天。", "（2）谁批？\n\n直属上级。"],
        ["一、年假几天？\n五天。", "二、谁批？\n上级。"],
        ["How many days?\n\nFive.", "Who approves?\n\nYour manager."],
        ["年假几天？\n五天。", "谁批？\n上级。\n电话另告。"],
    ],
)
def test_one_pair_a_chunk(pairs):
    text = "\n\n".join(pairs)
    assert texts(text) == pairs
    assert texts(text, size=4) == pairs, "whole however long"
    assert texts("# FAQ\n\nAs of May.\n\n" + text) == ["# FAQ\n\nAs of May.", *pairs]


def test_definition_lists_of_html():
    page = (
        "<h1>FAQ</h1><dl><dt>How long may a token live?</dt><dd>365 days.</dd><dt>年假有多少天？</dt>"
        "<dd><p>五天。</p><p>满十年十天。</p></dd></dl><h2>Contact</h2><p>Write to us.</p>"
    )
    assert cut(make_document("a.html", load_html(page.encode()))) == [
        "# FAQ\n\nHow long may a token live?\n\n365 days.",
        "年假有多少天？\n\n五天。\n\n满十年十天。",
        "## Contact\n\nWrite to us.",
    ]


def test_headings_stay_with_the_first_pair_below():
    text = "# FAQ\n\n说明。\n\n## 请假\n\n**问：几天？**\n答：五天。\n\n**问：谁批？**\n答：上级。\n\n## 工资\n\n**问：何时？**\n答：十日。"
    assert texts(text) == [
        "# FAQ\n\n说明。",
        "## 请假\n\n**问：几天？**\n答：五天。",
        "**问：谁批？**\n答：上级。",
        "## 工资\n\n**问：何时？**\n答：十日。",
    ]


def test_text_outside_pairs_is_cut_as_by_recursive():
    long = "本节没有问题，" * 30 + "完。"
    text = f"Q: 几天？\nA: 五天。\n\nQ: 谁批？\nA: 上级。\n\n---\n\n{long}\n\n## 附录\n\n{long}"
    found = texts(text, size=60, smallest=5)
    assert found[:2] == ["Q: 几天？\nA: 五天。", "Q: 谁批？\nA: 上级。"]
    assert all(len(chunk) <= 60 for chunk in found)
    assert not any("上级" in chunk and "没有问题" in chunk for chunk in found)


def test_a_rule_between_pairs_stays_with_the_pair_above():
    text = "Q: 几天？\nA: 五天。\n\n---\n\nQ: 谁批？\nA: 上级。"
    assert texts(text) == ["Q: 几天？\nA: 五天。\n\n---", "Q: 谁批？\nA: 上级。"]


def test_questions_in_a_row_share_their_answer():
    text = "Q: 几天？\nQ: 可以分次吗？\nA: 五天，可以。\n\nQ: 谁批？\nA: 上级。"
    assert texts(text) == ["Q: 几天？\nQ: 可以分次吗？\nA: 五天，可以。", "Q: 谁批？\nA: 上级。"]


def test_weak_questions_inside_answers_open_nothing():
    text = "Q: 打印机不动？\nA: 请检查：\n1. 有纸吗？\n放纸。\n2. 通电吗？\n插电。\n\nQ: 谁修？\nA: 服务台。"
    assert texts(text) == [text.split("\n\n")[0], "Q: 谁修？\nA: 服务台。"]


@pytest.mark.parametrize(
    "text",
    [
        "普通说明文字。" * 30 + "\n\n真的吗？\n\n" + "是的。" * 30 + "\n\n还有呢？\n\n" + "没有了。\n\n" * 30,
        "请想一想：\n\n1. 谁？\n2. 何时？\n3. 哪里？\n\n" + "后文很长。" * 30,
        "".join(f"{n}. 第{n}题是什么？\n" for n in range(1, 7))
        + "\n请作答。\n\n7. 为什么？\n说明理由。\n\n"
        + "后文。" * 30,
        "Only one question here.\n\nQ: really?\n\n" + "Some more text follows. " * 10,
        "## What is it?\n\n" + "A thing. " * 20 + "\n\n## Install\n\n" + "Run it. " * 20,
        "```\nQ: a?\nA: b\nQ: c?\nA: d\n```\n\n" + "Prose. " * 20,
        "q) one\nr) two",
        "Quarter: third\nQueue: long\n问题很多。答案不少。",
        "Q:\nQ:\nQ:",
        "",
    ],
)
def test_a_document_without_pairs_is_cut_as_by_recursive(text):
    for overlap in (0, 5):
        plain = RecursiveSplitter(chunk_size=40, overlap=overlap, chunk_unit="chars", min_size=4)
        document = make(text)
        assert splitter(40, overlap, 4).spans(document) == plain.spans(document)


def test_long_pairs_are_flagged_and_cut_on_demand():
    long = "问：怎么报销？\n答：" + "先填申请单，再交财务审核。" * 12
    text = f"问：几天？\n答：五天。\n\n{long}\n\n问：谁批？\n答：上级。"
    assert [span.flags for span in splitter(60).spans(make(text))] == [(), ("atomic",), ()]
    assert [span.flags for span in splitter(60, most=1000).spans(make(text))] == [(), ("atomic",), ()]
    found = texts(text, size=60, most=100)
    assert (found[0], found[-1]) == ("问：几天？\n答：五天。", "问：谁批？\n答：上级。")
    assert len(found) > 4
    assert all(len(chunk) <= 60 for chunk in found)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "10"])
def test_max_pair_is_a_whole_number(wrong):
    with pytest.raises(ConfigError, match="max_pair"):
        splitter(most=wrong)


@pytest.mark.parametrize(
    "piece",
    [
        "Q:", "Q:\n", "Q: a?\nA: b\n", "问", "问：\n", "问：x？\n答：y\n", "?", "？*", "**", "**a?** ", "**a?**\n", "1.", "1. a?\n", "# a?\n\n",
        "a?\n\n", "a?\n\nb\n\n", "\n", "\n \n", "---\n\n", "- ", "A:", "答：", "吗", "［", "x" * 400 + "?\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["text", "md"])
def test_hostile_text_takes_linear_time(piece, kind):
    document = make(piece * (100_000 // len(piece)), kind)
    started = time.process_time()
    splitter().spans(document)
    assert time.process_time() - started < 5


def test_five_times_the_text_takes_no_more_than_six_times_as_long():
    def seconds(n_pairs):
        pairs = [
            f"问：第{number}种情况怎么办？\n答：先填申请单 {number}，再由直属上级审批，三个工作日内答复。\n\n"
            for number in range(n_pairs)
        ]
        document = make("".join(pairs), "text")
        started = time.process_time()
        splitter().spans(document)
        return time.process_time() - started

    seconds(1000)
    assert seconds(25_000) < 5 * 6 * max(seconds(5_000), 0.02), "with a margin of 5 for a loaded machine"
