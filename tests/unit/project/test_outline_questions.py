from __future__ import annotations

import pytest

from ragbench.corpus.loader import make_document
from ragbench.corpus.parsed import whole
from ragbench.eval_set.locate import locate
from ragbench.project.outline_questions import outline_questions
from ragbench.text.language import language_of

TEXTS = {
    "zh": "# 考勤制度\n\n## 补卡\n\n忘记打卡的，当月可以补卡三次。\n\n## 请假\n\n- 请假须提前一天在系统里提交申请。\n",
    "en": "# Attendance\n\n## Missed punches\n\nUp to three missed punches a month can be corrected.\n\n## Leave\n\nAsk a day ahead.\n",
    "mixed": "# VPN 使用\n\n## Token 续期\n\nVPN token 每 90 天需要在 portal 里 renew 一次。\n\n## 回收\n\n离职当天由 IT 回收 token 与账号。\n",
}  # fmt: skip


def document(name: str, text: str):
    return make_document(name, whole(text, "md", structured=True))


@pytest.mark.parametrize("language", TEXTS)
def test_a_question_a_section_with_a_quote_that_is_found(language):
    doc = document("a.md", TEXTS[language])
    rows = outline_questions([doc], 20)
    assert len(rows) == 2
    problems: list[str] = []
    located = locate(rows, {doc.doc_id: doc}, problems)
    assert not problems
    for row, question, topic in zip(rows, located, [heading.title for heading in doc.outline[1:]], strict=True):
        assert topic in row["question"]
        assert row["metadata"] == {"draft": True}
        assert row["language"] == language_of(row["question"])
        (item,) = question.groups[0].items
        assert doc.text[item.start : item.end] == row["reference"]


def sections(name: str, n: int):
    return document(name, "\n\n".join(f"## 第{i}节\n\n这是第{i}节独有的一句话，编号{i}。" for i in range(n)))


def test_questions_are_spread_over_documents_and_their_sections():
    rows = outline_questions([sections("many.md", 50), document("few.md", TEXTS["en"])], 10)
    docs = [row["evidence"][0]["doc"] for row in rows]
    assert (docs.count("few.md"), docs.count("many.md")) == (2, 8)
    assert len({row["id"] for row in rows}) == 10
    asked = [row["question"] for row in rows if row["evidence"][0]["doc"] == "many.md"]
    assert "第3节" in asked[0] and "第46节" in asked[-1], "from the whole document, not from its start"


def test_of_more_documents_than_questions_some_from_all_over_are_asked():
    rows = outline_questions([sections(f"{i:03d}.md", 3) for i in range(100)], 5)
    assert [row["evidence"][0]["doc"] for row in rows] == ["010.md", "030.md", "050.md", "070.md", "090.md"]
    assert all("第1节" in row["question"] for row in rows), "the middle section, not the first"


def test_two_editions_of_a_document_are_told_apart():
    text = "# 公司法\n\n## 第一章 总则\n\n为了规范公司的组织和行为，制定本法。\n"
    rows = outline_questions([document("公司法(2018).md", text), document("公司法(2023).md", text)], 5)
    assert [row["question"] for row in rows] == [
        "《公司法》里关于“第一章 总则”是怎么说的？",
        "《公司法(2023).md》里关于“第一章 总则”是怎么说的？",
    ]


def test_the_lines_below_the_title_are_asked_only_where_there_is_nothing_else():
    text = "# Guide\n\nThis page is a preamble of some words.\n\n## Restore\n\nStop the node before you restore.\n"
    (row,) = outline_questions([document("a.md", text)], 5)
    assert row["reference"] == "Stop the node before you restore."
    long = "# Guide\n\n" + "If you need to use the alerting of another system then configure it first.\n"
    (row,) = outline_questions([document("a.md", long)], 5)
    assert row["question"] == "What does “Guide” say about “If you need to use the alerting of”?"


@pytest.mark.parametrize(
    "quote", ["![AWS Athena](../img/a.png) shows it", "See [the manual](x.md) for more.", "<b>A bold word</b> here"]
)
def test_markup_is_no_quote(quote):
    assert outline_questions([document("a.md", f"# A\n\n## B\n\n{quote}\n")], 5) == []


@pytest.mark.parametrize("text", ["", "短。", "同一句话说了两遍。同一句话说了两遍。", "## 只有标题\n\n### 没有正文\n"])
def test_nothing_to_quote_gives_no_question(text):
    assert outline_questions([document("a.md", text)], 5) == []


def test_a_document_without_headings_gives_one():
    (row,) = outline_questions([document("便签.txt", "食堂的开放时间是每天早上七点到九点。")], 5)
    assert row["question"] == "《便签》里关于“食堂的开放时间是每天早上七点到九点”是怎么说的？"


@pytest.mark.parametrize(
    "name",
    [
        "LICENSE.md",
        "licence.txt",
        "docs/README.upstream.md",
        "README.zh-CN.md",
        "PROVENANCE.md",
        "NOTICE.txt",
        "版权声明.md",
    ],
)
def test_files_about_the_files_are_not_asked_about(name):
    about = document(name, "# Licence\n\n## Grant\n\nYou may copy these texts for any purpose.\n")
    rows = outline_questions([about, document("a.md", TEXTS["zh"])], 20)
    assert {row["evidence"][0]["doc"] for row in rows} == {"a.md"}
    assert outline_questions([about], 20), "unless there is nothing else"


@pytest.mark.parametrize(
    "name", ["licence-and-support-agreement.md", "security-policy.md", "notices/leave.md", "notice-periods.md"]
)
def test_names_that_only_look_like_them_are(name):
    docs = [document(name, TEXTS["en"]), document("a.md", TEXTS["zh"])]
    assert name in {row["evidence"][0]["doc"] for row in outline_questions(docs, 20)}


@pytest.mark.parametrize(
    "comment",
    [
        "[//]: # (TODO rewrite this sentence before release)",
        '[//]: # "TODO rewrite this sentence before release"',
        "[comment]: <> (TODO rewrite this sentence before release)",
        "<!-- TODO rewrite this. The old sentence was wrong here. 待重写：此句有误。 -->",
        "<!--\nFirst line of a comment here.\n\nSecond paragraph of the comment.\n-->",
        "[guide]: ../guide/installation.md 'Installation guide for everyone'",
    ],
)
@pytest.mark.parametrize("language", TEXTS)
def test_comments_are_not_asked_about(language, comment):
    head, _, body = TEXTS[language].partition("\n\n## ")
    plain = outline_questions([document("a.md", TEXTS[language])], 20)
    section = body.replace("\n\n", f"\n\n{comment}\n\n", 1)
    assert outline_questions([document("a.md", f"{head}\n\n## {section}")], 20) == plain


def test_a_footnote_is_no_comment():
    rows = outline_questions([document("a.md", "# A\n\n## B\n\n[^1]: Leave carries over until March.\n")], 5)
    assert len(rows) == 1
