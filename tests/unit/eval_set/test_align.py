"""Evidence spans to relevance: against worked examples and a character-by-character loop."""

import random

import pytest

from ragbench.errors import DataError
from ragbench.eval_set.align import Evidence, add_interval, gains
from ragbench.eval_set.coverage import Fate, evidence_fates
from ragbench.records.document import DocSpan
from ragbench.records.question import EvidenceGroup, EvidenceItem
from ragbench.testing.cases import document, group, question

TEXTS = {
    "zh": "员工每年享有带薪年假十五天，未休完的年假可以结转至次年三月底。" * 4,
    "en": "Employees have fifteen days of paid leave; what is left can be carried over until March. " * 4,
    "mixed": "年假 annual leave 为 15 天，按 HR-2024-03 号文结转 carry over 至 March。" * 4,
}


def evidence(*groups, texts=None):
    documents = {name: document(name, text) for name, text in (texts or TEXTS).items()}
    return Evidence(question(groups=groups), documents)


@pytest.mark.parametrize("doc", TEXTS)
def test_a_chunk_inside_the_evidence_counts_and_one_that_touches_its_last_character_does_not(doc):
    gold = evidence(group((doc, 20, 60)))
    inside = DocSpan(doc, 25, 50)
    last_character = DocSpan(doc, 59, 99)
    adjacent = DocSpan(doc, 60, 100)
    assert gold.is_relevant(inside) and gold.satisfied([inside]) == [True]
    assert not gold.is_relevant(last_character) and gold.satisfied([last_character]) == [False]
    assert gold.touching([adjacent]) == []


@pytest.mark.parametrize("doc", TEXTS)
def test_evidence_split_over_two_chunks_is_earned_by_the_second(doc):
    gold = evidence(group((doc, 20, 60)))
    halves = [DocSpan(doc, 0, 38), DocSpan("other", 0, 99), DocSpan(doc, 38, 90)]
    half, full = gold.first_ranks(gold.touching(halves), (0.5, 1.0))
    assert full == [3]
    assert half == [3 if not gold.satisfied(halves[:1])[0] else 1]
    assert gains(full) == [0, 0, 1]


def test_a_rank_earns_only_what_is_not_covered_above_it():
    gold = evidence(group(("zh", 0, 10)), group(("zh", 40, 50)))
    again = [DocSpan("zh", 0, 12), DocSpan("zh", 0, 14), DocSpan("zh", 0, 60)]
    assert gains(gold.first_ranks(enumerate(again, 1))[0]) == [1, 0, 1]


def test_any_item_satisfies_a_group_and_all_groups_count():
    gold = evidence(group(("zh", 0, 10), ("en", 0, 10)), group(("mixed", 0, 10)))
    assert gold.satisfied([DocSpan("en", 0, 30)]) == [True, False]
    assert gold.n_groups == 2


def test_a_whole_document_is_satisfied_by_any_of_its_chunks():
    gold = evidence(group("zh"))
    assert gold.by_document
    assert gold.satisfied([DocSpan("zh", 7, 8)]) == [True]
    assert gold.satisfied([DocSpan("en", 7, 8)]) == [False]


def test_blanks_between_chunks_are_not_missing_evidence():
    texts = {"d": "First sentence.\n\nSecond sentence."}
    gold = evidence(group(("d", 0, 33)), texts=texts)
    assert gold.satisfied([DocSpan("d", 0, 15), DocSpan("d", 17, 33)], 1.0) == [True]
    assert gold.satisfied([DocSpan("d", 0, 14), DocSpan("d", 17, 33)], 1.0) == [False]


def test_blank_evidence_is_never_satisfied():
    gold = evidence(group(("d", 2, 4)), texts={"d": "ab\n\ncd"})
    assert gold.satisfied([DocSpan("d", 0, 6)]) == [False]
    assert not gold.is_relevant(DocSpan("d", 0, 6))


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (-1, 5), (0, 10_000)])
def test_impossible_evidence_is_an_error_that_names_the_question(start, end):
    with pytest.raises(DataError, match="evidence of question q"):
        evidence(group(("zh", start, end)))


def test_no_evidence_gives_empty_rows():
    gold = evidence()
    assert gold.n_groups == 0 and not gold.by_document
    assert gold.first_ranks(enumerate([DocSpan("zh", 0, 9)], 1)) == [[]]


def test_a_small_chunk_in_long_evidence_and_a_large_chunk_around_short_evidence_are_both_relevant():
    gold = evidence(group(("zh", 0, 100)))
    assert gold.is_relevant(DocSpan("zh", 40, 50))
    assert evidence(group(("zh", 40, 45))).is_relevant(DocSpan("zh", 0, 120))
    assert not gold.is_relevant(DocSpan("zh", 96, 120))


def test_overlap_counts_evidence_once_and_the_best_alternative():
    gold = evidence(group(("zh", 0, 40), ("en", 0, 20)), group(("zh", 30, 50)))
    spans = [DocSpan("zh", 10, 35), DocSpan("zh", 20, 45)]
    assert gold.overlap(spans) == (35, 50)


def test_intervals_join_when_they_touch():
    assert add_interval([(0, 3), (8, 9)], 3, 5) == [(0, 5), (8, 9)]
    assert add_interval([(0, 3), (8, 9)], 2, 8) == [(0, 9)]


def brute_rank(item, spans, text, tau):
    """First rank at which the non-blank characters of the item are covered to tau, one character at a time."""
    wanted = {at for at in range(item.start, item.end) if not text[at].isspace()}
    seen = set()
    for rank, span in enumerate(spans, 1):
        if span.doc_id == item.doc_id:
            seen |= wanted & set(range(span.start, span.end))
        if seen and len(seen) >= tau * len(wanted) - 1e-9:
            return rank
    return 0


@pytest.mark.parametrize("tau", [0.5, 0.7, 1.0])
def test_first_ranks_agree_with_a_loop_over_characters(tau):
    rng = random.Random(7)
    documents = {name: document(name, text) for name, text in TEXTS.items()}
    for _ in range(150):
        groups = []
        for _ in range(rng.randint(1, 3)):
            items = []
            for _ in range(rng.randint(1, 2)):
                doc = rng.choice(list(TEXTS))
                start = rng.randrange(len(TEXTS[doc]) - 40)
                items.append((doc, start, start + rng.randint(2, 40)))
            groups.append(group(*items))
        asked = question(groups=groups)
        spans = []
        for _ in range(12):
            doc = rng.choice(list(TEXTS))
            start = rng.randrange(len(TEXTS[doc]) - 5)
            spans.append(DocSpan(doc, start, min(len(TEXTS[doc]), start + rng.randint(3, 50))))
        expected = []
        for one in asked.groups:
            ranks = [brute_rank(item, spans, TEXTS[item.doc_id], tau) for item in one.items]
            expected.append(min((rank for rank in ranks if rank), default=0))
        gold = Evidence(asked, documents)
        assert gold.first_ranks(gold.touching(spans), (tau,))[0] == expected


def brute_fate(one, chunks, documents):
    best = Fate.UNREACHABLE
    for item in one.items:
        text = documents[item.doc_id].text
        wanted = {at for at in range(item.start, item.end) if not text[at].isspace()}
        mine = [chunk for chunk in chunks if chunk.doc_id == item.doc_id]
        if wanted and any(wanted <= set(range(chunk.start, chunk.end)) for chunk in mine):
            return Fate.INTACT
        covered = {at for chunk in mine for at in range(chunk.start, chunk.end)} & wanted
        if covered and len(covered) >= 0.5 * len(wanted):
            best = Fate.SPLIT
    return best


def test_fates_agree_with_a_loop_over_characters():
    rng = random.Random(3)
    documents = {name: document(name, text) for name, text in TEXTS.items()}
    seen = set()
    for _ in range(60):
        chunks = []
        for doc, text in TEXTS.items():
            starts = [start for start in range(0, len(text), 30) if rng.random() < 0.7]
            chunks.extend(DocSpan(doc, start, min(len(text), start + rng.randint(10, 45))) for start in starts)
        rng.shuffle(chunks)
        asked = []
        for number in range(8):
            doc = rng.choice(list(TEXTS))
            start = rng.randrange(len(TEXTS[doc]) - 60)
            asked.append(question(str(number), [group((doc, start, start + rng.randint(2, 60)))]))
        found = evidence_fates(asked, chunks, documents)
        expected = [tuple(brute_fate(one, chunks, documents) for one in q.groups) for q in asked]
        assert found == expected
        seen |= {fate for row in found for fate in row}
    assert seen == {Fate.INTACT, Fate.SPLIT, Fate.UNREACHABLE}


def test_fates_of_whole_documents_missing_documents_and_no_chunks():
    documents = {name: document(name, text) for name, text in TEXTS.items()}
    asked = [question("a", [group("zh"), group("en"), group(("gone", 0, 4))])]
    chunks = [DocSpan("zh", 0, 50)]
    assert evidence_fates(asked, chunks, documents) == [(Fate.WHOLE, Fate.UNREACHABLE, Fate.UNREACHABLE)]
    assert evidence_fates(asked, [], documents) == [(Fate.UNREACHABLE,) * 3]
    assert evidence_fates([question("b")], chunks, documents) == [()]
    alternatives = EvidenceGroup("g", (EvidenceItem("en", 0, 9), EvidenceItem("zh", 0, 9)))
    assert evidence_fates([question("c", [alternatives])], chunks, documents) == [(Fate.INTACT,)]


def test_a_chunk_in_the_next_document_never_covers_the_end_of_this_one():
    texts = {"a": "x" * 20, "b": "y" * 20}
    documents = {name: document(name, text) for name, text in texts.items()}
    chunks = [DocSpan("a", 0, 10), DocSpan("b", 0, 20)]
    asked = [question("q", [group(("a", 8, 20))])]
    assert evidence_fates(asked, chunks, documents) == [(Fate.UNREACHABLE,)]
