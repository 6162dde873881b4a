"""Chunk-level forms: worked examples. Against trec_eval: tests/cross/test_ir_measures.py."""

from math import log2

import pytest

from ragbench.measure.registry import measure
from ragbench.records.score import Status
from ragbench.testing.cases import corpus, group, one_case, question, trace, windows

TEXTS = {
    "zh": "员工每年享有带薪年假十五天，未休完的年假可以结转至次年三月底。" * 3,
    "en": "Employees have fifteen days of paid leave; what is left is carried over. " * 3,
    "mixed": "年假 annual leave 为 15 天，按 HR-2024-03 号文结转 carry over。" * 3,
}
NAMES = ("chunk_recall@2", "chunk_precision@2", "chunk_mrr", "chunk_map", "chunk_ndcg@2")


def values(case, layer="ranking"):
    return {name: measure(f"{layer}/{name}").find(case).value for name in NAMES}


@pytest.mark.parametrize("doc", TEXTS)
def test_grades_are_the_groups_a_chunk_satisfies_alone(doc):
    chunked = corpus(TEXTS, [(doc, 0, 20), (doc, 20, 40), (doc, 10, 40), (doc, 40, 60)])
    asked = question("q", [group((doc, 2, 6)), group((doc, 24, 30)), group((doc, 32, 38))])
    found = values(one_case(asked, chunked, trace("q", [3, 0, 1], [3, 2, 0])))
    assert found["chunk_recall@2"] == pytest.approx(1 / 3)
    assert found["chunk_precision@2"] == found["chunk_mrr"] == 0.5
    assert found["chunk_map"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert found["chunk_ndcg@2"] == pytest.approx((2 / log2(3)) / (2 + 2 / log2(3)))
    before = values(one_case(asked, chunked, trace("q", [0, 1, 3], [3, 2, 0])), "retrieval")
    assert before["chunk_mrr"] == 1.0 and before["chunk_recall@2"] == pytest.approx(2 / 3)


def test_overlapping_chunks_that_both_hold_the_evidence_are_both_relevant_here_and_one_group_at_set_level():
    chunked = corpus(TEXTS, [("zh", 0, 20), ("zh", 5, 25)])
    case = one_case(question("q", [group(("zh", 6, 18))]), chunked, trace("q", [0]))
    assert measure("ranking/chunk_recall@5").find(case).value == 0.5
    assert measure("ranking/recall@5").find(case).value == 1.0


def test_evidence_that_no_chunk_satisfies_alone_scores_nothing_and_stays_in_the_mean():
    chunked = corpus(TEXTS, windows("en", TEXTS["en"], 5))
    case = one_case(question("q", [group(("en", 0, 40))]), chunked, trace("q", list(range(8))))
    found = measure("ranking/chunk_map").find(case)
    assert (found.status, found.value) == (Status.SCORED, 0.0) and "alone" in found.evidence
    assert measure("ranking/recall@10").find(case).value == 1.0


def test_empty_absent_duplicate_and_whole_documents():
    chunked = corpus(TEXTS, windows("zh", TEXTS["zh"], 10))
    asked = question("q", [group(("zh", 0, 10))])
    assert set(values(one_case(asked, chunked, trace("q", []))).values()) == {0.0}
    assert set(values(one_case(asked, chunked, None)).values()) == {0.0}
    doubled = values(one_case(asked, chunked, trace("q", [0, 0, 0])))
    assert doubled["chunk_precision@2"] == 0.5 and doubled["chunk_map"] == doubled["chunk_ndcg@2"] == 1.0
    whole = one_case(question("q", [group("zh")]), chunked, trace("q", [0]))
    nothing = one_case(question("q"), chunked, trace("q", [0]))
    for case in (whole, nothing):
        assert measure("ranking/chunk_map").find(case).status is Status.NOT_APPLICABLE
