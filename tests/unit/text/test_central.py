"""The most central sentences."""

from __future__ import annotations

import math
import time

import pytest

from ragbench.text.central import central_sentences, centrality
from ragbench.text.terms import content_terms

TEXTS = {
    "zh": "食堂周一供应面条。员工年假为五天，年假须提前申请。申请年假的员工填写表格。年假不跨年度。",
    "en": "The canteen has noodles. Staff leave is five days and leave needs a request. Leave requests use a form.",
    "mixed": "食堂有 noodles。API 的 batch 上限是 10，超过上限 the batch 返回 HTTP 400。batch 上限 applies to API v3。",
}
CENTRAL = {
    "zh": "员工年假为五天，年假须提前申请。",
    "en": "Staff leave is five days and leave needs a request.",
    "mixed": "API 的 batch 上限是 10，超过上限 the batch 返回 HTTP 400。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_sentence_that_shares_most_with_the_others_is_first_and_the_odd_one_last(language):
    found = central_sentences(TEXTS[language])
    assert found[0] != found[-1]
    assert ("食堂" in found[-1]) or ("canteen" in found[-1])
    assert found[0] == CENTRAL[language]


def direct(texts):
    """Every pair by itself."""
    counts = [content_terms(text) for text in texts]
    every = sorted({term for count in counts for term in count})
    idf = [math.log((1 + len(texts)) / (1 + sum(term in count for count in counts))) + 1 for term in every]
    vectors = [[count.count(term) * weight for term, weight in zip(every, idf)] for count in counts]

    def cosine(a, b):
        lengths = math.hypot(*a) * math.hypot(*b)
        return sum(x * y for x, y in zip(a, b)) / lengths if lengths else 0.0

    return [
        sum(cosine(one, other) for j, other in enumerate(vectors) if j != i) / max(len(texts) - 1, 1)
        for i, one in enumerate(vectors)
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ["a leave request", "a request form", "noodles"],
        ["年假五天", "年假申请", "五天"],
        ["one"],
        ["same words", "same words"],
        ["。。。", "!!", "x"],
        [],
    ],
)
def test_centrality_is_the_mean_cosine_with_the_others(texts):
    assert centrality(texts) == pytest.approx(direct(texts), abs=1e-9)


def test_equals_stay_in_order_and_the_order_of_words_does_not_matter():
    assert central_sentences("Leave is long. Long is leave. Leave is long.") == [
        "Leave is long.",
        "Long is leave.",
        "Leave is long.",
    ]


def test_headings_are_left_out_and_markers_and_line_breaks_too():
    assert central_sentences("# Leave leave\n\n- leave is\n  five days\n- leave needs leave") == [
        "leave is five days",
        "leave needs leave",
    ]


def test_rows_only_where_nothing_else_is():
    table = "| leave | five days |\n| leave | ten days |"
    assert central_sentences(f"Prose.\n\n{table}") == ["Prose."]
    assert len(central_sentences(table)) == 2


@pytest.mark.parametrize("text", ["", "\n\n", "# Only a heading", "---"])
def test_text_without_a_sentence(text):
    assert central_sentences(text) == []


@pytest.mark.parametrize("piece", ["年假五天。", "leave ", "x. ", "长", "| a | b |\n", "- a\n"])
def test_time_is_linear(piece):
    started = time.process_time()
    central_sentences(piece * (300_000 // len(piece)))
    assert time.process_time() - started < 10
