"""Graded relevant chunks, what is split, and the speed of both. The rules themselves: tests/cross/test_alignment.py."""

import random
import time

import pytest

from ragbench.errors import DataError
from ragbench.eval_set import axis
from ragbench.eval_set.coverage import Alignment, BrokenGroup, Fate, relevant_chunks
from ragbench.records.document import DocSpan
from ragbench.testing.cases import document, group, question

TEXTS = {
    "zh": "员工每年享有带薪年假十五天，未休完的年假可以结转。",
    "en": "Employees have fifteen days of paid leave; the rest is carried over.",
    "mixed": "年假 annual leave 为 15 天，按 HR-2024-03 号文 carry over。",
}
DOCUMENTS = {name: document(name, text) for name, text in TEXTS.items()}


@pytest.mark.parametrize("doc", TEXTS)
def test_the_grade_of_a_chunk_is_the_number_of_groups_it_satisfies_alone(doc):
    asked = [
        question("one", [group((doc, 0, 6)), group((doc, 8, 14))]),
        question("none"),
        question("two", [group((doc, 8, 14), (doc, 0, 6))]),
    ]
    chunks = [DocSpan(doc, 7, 20), DocSpan(doc, 0, 15), DocSpan(doc, 14, 20), DocSpan(doc, 0, 2)]
    assert relevant_chunks(asked, chunks, DOCUMENTS) == [{0: 1, 1: 2}, {}, {0: 1, 1: 1}]
    assert relevant_chunks(asked, [], DOCUMENTS) == [{}, {}, {}]
    assert relevant_chunks([], chunks, DOCUMENTS) == []


@pytest.mark.parametrize("doc", TEXTS)
def test_intervals_are_half_open(doc):
    asked = [question("q", [group((doc, 5, 6))])]
    chunks = [DocSpan(doc, 0, 5), DocSpan(doc, 6, 9), DocSpan(doc, 5, 6)]
    assert relevant_chunks(asked, chunks, DOCUMENTS, 1.0) == [{2: 1}]


def test_every_chunk_of_a_whole_document_is_relevant_and_no_other():
    chunks = [DocSpan(doc, start, start + 5) for start in (10, 0) for doc in TEXTS]
    asked = [question("q", [group("en"), group("gone", ("zh", 0, 4))])]
    assert relevant_chunks(asked, chunks, DOCUMENTS) == [{1: 1, 3: 1, 4: 1}]


def test_split_and_unreachable_evidence_is_listed_with_the_chunks_that_hold_pieces():
    chunks = [DocSpan("en", 30, 60), DocSpan("zh", 0, 9), DocSpan("zh", 9, 20), DocSpan("en", 0, 10)]
    asked = [
        question("split", [group(("zh", 4, 14)), group(("zh", 0, 9))]),
        question("lost", [group(("en", 8, 30)), group(("mixed", 0, 5))]),
    ]
    assert Alignment(asked, chunks, DOCUMENTS).broken() == [
        BrokenGroup("split", "g0", Fate.SPLIT, (1, 2)),
        BrokenGroup("lost", "g0", Fate.UNREACHABLE, (3,)),
        BrokenGroup("lost", "g1", Fate.UNREACHABLE, ()),
    ]


def test_evidence_split_in_halves_makes_no_chunk_relevant_at_full_coverage():
    asked = [question("q", [group(("zh", 0, 20))])]
    halves = [DocSpan("zh", 0, 10), DocSpan("zh", 10, 20)]
    found = Alignment(asked, halves, DOCUMENTS, 1.0)
    assert found.grades == [{}] and found.fates == [(Fate.SPLIT,)]


def test_blanks_inside_the_evidence_are_no_piece_of_it_whatever_tau_is():
    texts = {"d": "年假\n\nleave"}
    found = Alignment(
        [question("q", [group(("d", 0, 9))])], [DocSpan("d", 2, 4)], {"d": document("d", texts["d"])}, 0.0
    )
    assert found.grades == [{}] and found.pieces == [((),)] and found.fates == [(Fate.UNREACHABLE,)]


def test_impossible_evidence_is_an_error_that_names_the_question():
    with pytest.raises(DataError, match="evidence of question q"):
        Alignment([question("q", [group(("zh", 3, 3))])], [], DOCUMENTS)


@pytest.mark.parametrize("block", [1, 7, 10**9])
def test_pairs_are_the_same_however_many_are_looked_at_together(block, monkeypatch):
    rng = random.Random(5)
    starts = [rng.randrange(20) for _ in range(40)]
    chunks = [DocSpan("zh", start, start + rng.randint(1, 5)) for start in starts]
    asked = [question(str(at), [group(("zh", at, at + 3)), group(("zh", 0, at + 1))]) for at in range(20)]
    expected = Alignment(asked, chunks, DOCUMENTS).pieces
    monkeypatch.setattr(axis, "_BLOCK", block)
    assert Alignment(asked, chunks, DOCUMENTS).pieces == expected


def test_a_hundred_thousand_chunks_against_ten_thousand_spans():
    rng = random.Random(2)
    text = "年假 fifteen days。" * 3000
    documents = {str(at): document(str(at), text) for at in range(500)}
    chunks = [DocSpan(doc, start, start + 250) for doc in documents for start in range(0, 40_000, 200)]
    asked = []
    for at in range(5000):
        spans = [(str(rng.randrange(500)), start := rng.randrange(39_000), start + 90) for _ in range(2)]
        asked.append(question(str(at), [group(span) for span in spans]))
    started = time.process_time()
    found = Alignment(asked, chunks, documents)
    assert len(chunks) == 100_000 and sum(map(len, found.grades)) > 5000
    assert len(found.fates) == len(found.pieces) == 5000
    assert time.process_time() - started < 3, "less than a tenth of a second on an idle core"
