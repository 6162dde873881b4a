"""Import of a folder of documents with JSON Lines of questions."""

import json

import pytest

from ragbench.errors import Problems


@pytest.fixture
def docs(written):
    written("docs/a.md", "年假满一年五天。\n\nThe port is 8443.")
    return written("docs/b.md", "发布窗口 release window 是周二。").parent


def lines(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def test_quotes_may_be_lists_and_lists_of_alternatives(imported, written, docs):
    rows = (
        {"id": 7, "question": "年假几天？", "quote": "满一年五天", "answer": "五天", "answerable": True},
        {"query": "Which port?", "quotes": ["x"]},
        {"question": "Two facts?", "quote": ["port is 8443", ["release window", "发布窗口"]], "topic": "ops"},
        {"question": "没有答案？", "answerable": False, "metadata": {"why": "没写"}},
    )
    table = written("q.jsonl", lines(rows[0], rows[2], rows[3]))
    found = imported("jsonl", docs, table)
    assert list(found.questions) == ["7", "line-2", "line-3"]
    assert found.quotes("line-2") == [["port is 8443"], ["发布窗口", "release window"]]
    assert found.questions["line-2"].metadata == {"topic": "ops"}
    assert found.questions["line-3"].metadata == {"why": "没写"}
    assert found.questions["7"].reference == "五天"


def test_bad_lines_are_named_and_the_rest_goes_on(imported, written, docs):
    good = lines({"question": "年假几天？", "quote": "满一年五天"})
    text = (
        good + "{broken\n[1]\n" + lines({"question": 5, "quote": {"text": "x"}}, {"question": ["a", 1], "quote": "x"})
    )
    found = imported("jsonl", docs, written("q.jsonl", text))
    assert found.reasons("rejected") == {
        "the line is no JSON": ["q.jsonl line 2"],
        "the line is no JSON object": ["q.jsonl line 3"],
        "a quote or document is neither a text nor a list of texts": ["line 4"],
        "its question is no text": ["line 5"],
    }
    with pytest.raises(Problems, match="no questions"):
        imported("jsonl", docs, written("q.jsonl", "{broken\n"), target="other")
