"""Evidence is located exactly or not at all."""

import pytest

from ragbench.core.fingerprint import text_hash
from ragbench.errors import Problems
from ragbench.eval_set.locate import locate
from ragbench.records.document import Document

TEXTS = {
    "zh.md": "# 休假\n\n员工每年享有五天年假。\n病假需提交证明。年假不可转让。",
    "en.md": "# Leave\n\nStaff have five days of leave.\nSick leave needs a note. Leave is not transferable.",
    "mixed.md": "OA 系统提交 leave request，审批 SLA 为 2 天。\n\nVPN 账号找 IT。",
}
DOCUMENTS = {name: Document(name, text, "md", text_hash(text)) for name, text in TEXTS.items()}
QUOTES = {"zh.md": "员工每年享有五天年假。", "en.md": "Staff have five days of leave.", "mixed.md": "审批 SLA 为 2 天"}


def row(*items, **more):
    return {"id": "q1", "question": "?", "evidence": list(items), **more}


@pytest.mark.parametrize("name", TEXTS)
def test_a_quote_is_found_where_it_stands(name):
    (question,) = locate([row({"doc": name, "quote": QUOTES[name]})], DOCUMENTS)
    item = question.groups[0].items[0]
    assert TEXTS[name][item.start : item.end] == QUOTES[name]


def test_groups_hold_alternatives():
    items = [
        {"doc": "zh.md", "quote": "五天年假", "group": "a"},
        {"doc": "en.md", "quote": "five days", "group": "a"},
        {"doc": "zh.md", "quote": "病假", "group": "b"},
    ]
    (question,) = locate([row(*items)], DOCUMENTS)
    assert [(group.name, len(group.items)) for group in question.groups] == [("a", 2), ("b", 1)]


def test_items_without_a_group_are_all_needed():
    (question,) = locate([row({"doc": "zh.md", "quote": "五天"}, {"doc": "zh.md", "quote": "病假"})], DOCUMENTS)
    assert len(question.groups) == 2


def test_a_whole_document_and_offsets():
    (question,) = locate([row({"doc": "zh.md", "whole": True}, {"doc": "en.md", "start": 9, "end": 14})], DOCUMENTS)
    whole, part = (group.items[0] for group in question.groups)
    assert (whole.whole, whole.end) == (True, len(TEXTS["zh.md"]))
    assert part.quote == TEXTS["en.md"][9:14]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"doc": "no.md", "quote": "x"}, "document 'no.md' is not in the corpus"),
        ({"doc": "zh.md", "quote": "六天年假"}, "does not hold “六天年假”"),
        ({"doc": "zh.md", "quote": "年假"}, "more than once"),
        ({"doc": "en.md", "quote": "five  days"}, "but for white space it stands at"),
        ({"doc": "en.md", "start": 5, "end": 9999}, "lies behind the text"),
        ({"doc": "en.md", "start": 0, "end": 4, "quote": "Staf"}, "not the quote"),
    ],
)
def test_what_cannot_be_located_is_an_error_and_never_offset_zero(item, words):
    with pytest.raises(Problems) as caught:
        locate([row(item)], DOCUMENTS)
    assert words in caught.value.problems[0]
    assert "q1 evidence[0]" in caught.value.problems[0]


def test_all_problems_of_all_rows_come_together():
    rows = [row({"doc": "a", "quote": "x"}), row({"doc": "b", "quote": "x"}, {"doc": "c", "quote": "x"}) | {"id": "q2"}]
    with pytest.raises(Problems) as caught:
        locate(rows, DOCUMENTS)
    assert len(caught.value.problems) == 3
