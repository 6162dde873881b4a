"""What a chunk set keeps of the evidence: intact, in pieces, and the precision a perfect retriever would have."""

import random

import pytest

from ragbench.measure.registry import measure
from ragbench.records.score import Status
from ragbench.testing.cases import corpus, group, one_case, question, trace, windows

TEXTS = {
    "zh": "员工每年享有带薪年假十五天，未休完的年假可以结转至次年三月底。" * 3,
    "en": "Employees have fifteen days of paid leave; what is left is carried over. " * 3,
    "mixed": "年假 annual leave 为 15 天，按 HR-2024-03 号文结转 carry over。" * 3,
}


def find(name, chunked, *groups):
    return measure(f"chunks/{name}").find(one_case(question("q", groups), chunked, trace("q", [0])))


@pytest.mark.parametrize("doc", TEXTS)
def test_split_evidence_names_the_chunks_that_hold_it(doc):
    chunked = corpus(TEXTS, windows(doc, TEXTS[doc], 20))
    found = find("evidence_intact", chunked, group((doc, 15, 45)), group((doc, 0, 20)))
    assert (found.value, found.evidence) == (0.5, f"g0 split over {doc}#0, {doc}#1, {doc}#2")
    assert find("evidence_reachable", chunked, group((doc, 15, 45))).value == 1.0
    gap = corpus(TEXTS, [(doc, 0, 20)])
    lost = find("evidence_reachable", gap, group((doc, 15, 45)))
    assert (lost.value, lost.evidence) == (0.0, f"g0 unreachable, pieces in {doc}#0")
    assert find("evidence_reachable", gap, group((doc, 30, 45))).evidence == "g0 unreachable"


def test_many_pieces_are_counted_and_not_all_named():
    chunked = corpus(TEXTS, windows("en", TEXTS["en"], 4))
    assert find("evidence_intact", chunked, group(("en", 0, 40))).evidence.endswith("en#4, 5 more")


@pytest.mark.parametrize("doc", TEXTS)
def test_precision_omega_is_the_precision_of_exactly_the_chunks_that_hold_evidence(doc):
    chunked = corpus(TEXTS, windows(doc, TEXTS[doc], 20))
    assert find("precision_omega", chunked, group((doc, 15, 45))).value == pytest.approx(30 / 60)
    assert find("precision_omega", chunked, group((doc, 0, 20))).value == 1.0
    assert find("precision_omega", chunked, group((doc, 15, 45)), group((doc, 10, 18))).value == pytest.approx(35 / 60)


def test_repeated_text_counts_once_and_dropped_evidence_counts_against_the_chunks():
    overlapping = corpus(TEXTS, [("zh", 0, 30), ("zh", 10, 40)])
    assert find("precision_omega", overlapping, group(("zh", 15, 25))).value == pytest.approx(10 / 40)
    gap = corpus(TEXTS, [("zh", 0, 10)])
    assert find("precision_omega", gap, group(("zh", 0, 40))).value == pytest.approx(10 / 40)
    assert find("precision_omega", gap, group(("zh", 10, 40))).value == 0.0
    assert find("precision_omega", corpus(TEXTS, []), group(("zh", 10, 40))).value == 0.0


def test_the_alternative_with_the_best_ratio_counts_and_whole_documents_do_not_apply():
    chunked = corpus(TEXTS, [("zh", 0, 40), ("en", 0, 10)])
    assert find("precision_omega", chunked, group(("zh", 0, 10), ("en", 0, 10))).value == 1.0
    assert find("precision_omega", chunked, group("zh", ("en", 0, 5))).value == 0.5
    neighbours = corpus(TEXTS, windows("zh", TEXTS["zh"], 10))
    assert find("precision_omega", neighbours, group(("zh", 0, 10), ("zh", 10, 15))).value == 1.0
    assert find("precision_omega", neighbours, group(("zh", 0, 5), ("zh", 5, 9), ("zh", 9, 11))).value == 0.5
    assert find("precision_omega", chunked, group("zh")).status is Status.NOT_APPLICABLE
    outside = one_case(question("q"), chunked, trace("q", [0]))
    assert measure("chunks/precision_omega").find(outside).status is Status.NOT_APPLICABLE


def test_an_absent_question_has_the_same_precision_omega():
    chunked = corpus(TEXTS, windows("en", TEXTS["en"], 20))
    absent = one_case(question("q", [group(("en", 0, 10))]), chunked, None)
    assert measure("chunks/precision_omega").find(absent).value == 0.5


def test_precision_omega_agrees_with_sets_of_characters():
    rng = random.Random(4)
    for _ in range(200):
        spans = []
        for _ in range(rng.randint(0, 8)):
            doc = rng.choice(list(TEXTS))
            start = rng.randrange(len(TEXTS[doc]) - 30)
            spans.append((doc, start, start + rng.randint(1, 30)))
        gold = []
        for _ in range(rng.randint(1, 4)):
            doc = rng.choice(list(TEXTS))
            start = rng.randrange(len(TEXTS[doc]) - 30)
            gold.append((doc, start, start + rng.randint(1, 30)))
        evidence = {(doc, at) for doc, start, end in gold for at in range(start, end)}
        visible = {(doc, at) for doc, at in evidence if not TEXTS[doc][at].isspace()}
        held = set()
        for doc, start, end in spans:
            own = {(doc, at) for at in range(start, end)}
            held |= own if own & visible else set()
        found = find("precision_omega", corpus(TEXTS, spans), *(group(one) for one in gold)).value
        assert found == pytest.approx(len(evidence & held) / len(evidence | held), abs=1e-12)
