"""What stats counts."""

import pytest

from ragbench.core.fingerprint import text_hash
from ragbench.eval_set.describe import describe
from ragbench.eval_set.distribution import lengths, nearest_rank
from ragbench.eval_set.leakage import leakage, overlap, widened
from ragbench.eval_set.repeats import near_questions, same_documents, same_questions
from ragbench.records.document import Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question

TEXTS = {
    "zh.md": "年假满一年有五天。病假须交证明，超过三天的须交住院证明。",
    "en.md": "Backups run at 02:00 every Sunday. The server keeps them for 35 days.",
    "mixed.md": "发布窗口 release window 是周二。回滚 rollback 由 SRE 负责。",
    "twin.md": "Backups run at 02:00 every Sunday.\n\nThe server keeps them for 35 days!",
}
DOCUMENTS = {name: Document(name, text, "md", text_hash(text)) for name, text in TEXTS.items()}


def item(doc, quote):
    start = TEXTS[doc].index(quote)
    return EvidenceItem(doc, start, start + len(quote), quote=quote)


def question(name, text, *groups, **more):
    found = tuple(EvidenceGroup(f"g{n}", tuple(items)) for n, items in enumerate(groups))
    return Question(name, text, groups=found, answerable=bool(groups), **more)


QUESTIONS = [
    question("q1", "年假满一年有几天？", [item("zh.md", "五天")], language="zh"),
    question("q2", "Backups run when, and are kept how long?", [item("en.md", "02:00"), item("twin.md", "02:00")],
             [item("en.md", "35 days")], category="multi_hop", difficulty="hard", split="dev"),
    question("q3", "release window 是周二吗", [item("mixed.md", "发布窗口 release window 是周二")], language="mixed"),
    question("q4", "年假，满一年有几天", language="zh", category="negative"),
    question("q5", "哪份文件说休假？", [EvidenceItem("zh.md", 0, 28, whole=True)], language="zh"),
    question("q6", "年假证明和备份在哪里？", [item("zh.md", "住院证明")], [item("en.md", "Sunday")], language="zh"),
]  # fmt: skip


def test_counts_of_a_small_set():
    facts = describe(QUESTIONS, list(DOCUMENTS.values()))
    assert (facts["documents"], facts["questions"], facts["answerable_share"]) == (4, 6, round(5 / 6, 4))
    assert facts["category_by_difficulty"] == {
        "lookup": {"easy": 0, "medium": 4, "hard": 0},
        "multi_hop": {"easy": 0, "medium": 0, "hard": 1},
        "negative": {"easy": 0, "medium": 1, "hard": 0},
    }
    assert facts["evidence"] == {
        "groups": {"1": 3, "2": 2},
        "alternatives": {"1": 6, "2": 1},
        "documents_needed": {"1": 4, "2": 1},
        "whole_documents": 1,
        "documents_used": 4,
        "documents_unused": 0,
    }
    assert facts["across_documents"] == 1
    assert facts["quote_length"] == {"n": 7, "min": 2, "median": 5, "p90": 23, "max": 23}
    assert facts["documents_by_language"] == {"en": 2, "mixed": 1, "zh": 1}
    assert facts["by_split"] == {"dev": 1, "test": 5}
    assert facts["repeats"]["same_questions"] == [["q1", "q4"]]
    assert facts["repeats"]["same_documents"] == [["en.md", "twin.md"]]


def test_an_empty_set_has_an_empty_description():
    facts = describe([], [])
    assert (facts["questions"], facts["question_length"], facts["answerable_share"]) == (0, None, None)
    assert facts["leakage"]["evidence"]["n"] == 0


@pytest.mark.parametrize(
    ("values", "found"),
    [([], None), ([5], (5, 5, 5, 5)), ([3, 1, 2], (1, 2, 3, 3)), (list(range(1, 11)), (1, 5, 9, 10))],
)
def test_lengths_are_values_that_occur(values, found):
    row = lengths(values)
    assert row is None if found is None else (row["min"], row["median"], row["p90"], row["max"]) == found
    assert nearest_rank([1, 2], 0.5) == 1


@pytest.mark.parametrize(
    ("text", "evidence", "share"),
    [
        ("年假几天", ["年假满五天"], 1 / 3),
        ("How long are backups kept?", ["Backups are kept for 35 days."], 2 / 3),
        ("rollback 负责人", ["回滚 rollback 由 SRE 负责"], 2 / 3),
        ("rollback 负责人", ["rollback", "负责人"], 1.0),
        ("？", ["？"], 0.0),
        ("年假", [], 0.0),
    ],
)
def test_overlap_is_the_share_of_content_terms(text, evidence, share):
    assert overlap(text, evidence) == pytest.approx(share)


def test_leakage_reads_spans_and_their_sentences():
    found = leakage(QUESTIONS, DOCUMENTS)
    assert found["without_spans"] == 2
    assert found["evidence"]["n"] == found["sentences"]["n"] == 4
    assert sum(found["evidence"]["bins"]) == 4
    assert [row["id"] for row in found["evidence"]["high"]] == ["q3"]
    wide = {q.id: overlap(q.question, ["年假满一年有五天。"]) for q in QUESTIONS[:1]}
    assert wide["q1"] > 0.6
    assert found["sentences"]["mean"] > found["evidence"]["mean"]


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ((0, 1), (0, 5)),
        ((4, 6), (0, 9)),
        ((5, 6), (5, 9)),
        ((9, 11), (9, 11)),
        ((3, 20), (0, 20)),
        ((10, 13), (10, 15)),
    ],
)
def test_a_span_is_widened_to_the_sentences_it_touches(span, found):
    assert widened(span, [(0, 5), (5, 9), (12, 15)]) == found


@pytest.mark.parametrize(
    ("one", "other", "same", "near"),
    [
        ("年假有几天？", "年假 有几天", True, False),
        ("Which port is open?", "which port is open", True, False),
        ("版本 1.5 的端口？", "版本 15 的端口？", False, False),
        ("2019年华夏公司的净利润与营业收入是多少元", "2020年华夏公司的净利润与营业收入是多少元", False, False),
        ("How long does the main server keep old backups on disk?", "How long does the main server keep all old backups on disk?", False, True),
        ("华夏公司今年的净利润与营业收入是多少元", "华夏公司今年的净利润与营业收入是多少元呢", False, True),
        ("Kubernetes 集群的最低版本要求是什么", "Kubernetes 集群的最低版本要求是什么？？", True, False),
        ("年假有几天？", "病假要什么证明？", False, False),
    ],
)  # fmt: skip
def test_repeated_questions(one, other, same, near):
    pair = [Question("a", one), Question("b", other)]
    assert same_questions(pair) == ([["a", "b"]] if same else [])
    assert near_questions(pair) == ([["a", "b"]] if near else [])
    assert near_questions(pair[::-1]) == ([["b", "a"]] if near else [])


def test_near_questions_are_those_of_a_full_comparison():
    import itertools
    import random

    from ragbench.text.terms import terms

    draw = random.Random(3)
    words = ["backup", "port", "server", "disk", "node", "quota", "alert", "snapshot", "restore", "window"]
    questions = [Question(str(n), " ".join(draw.sample(words, draw.randint(4, 9)))) for n in range(150)]
    expected = []
    for one, other in itertools.combinations(questions, 2):
        a, b = set(terms(one.question)), set(terms(other.question))
        if one.question != other.question and len(a & b) >= 0.8 * len(a | b):
            expected.append([one.id, other.id])
    assert expected
    assert sorted(near_questions(questions)) == sorted(expected)


def test_documents_are_equal_by_their_words():
    assert same_documents(list(DOCUMENTS.values())) == [["en.md", "twin.md"]]
