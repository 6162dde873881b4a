"""Coherence against worked examples: what lies inside a chunk, what across its borders, and when nothing can be said."""

import pytest

from ragbench.evaluate.evaluator import evaluate
from ragbench.measure.case import ChunkedCorpus, DocumentCase
from ragbench.measure.chunks.coherence import borders_between
from ragbench.measure.provided import Neighbours
from ragbench.measure.registry import measure
from ragbench.records.document import Chunk
from ragbench.records.score import Status
from ragbench.testing.cases import document
from ragbench.text.sentences import sentences

TEXTS = {
    "zh": "年假有十五天。年假可以结转。报销要发票。报销限三十天。",
    "en": "Leave is 15 days. Leave carries over. Claims need an invoice. Claims end in March. ",
    "mixed": "年假 is 15 天。Leave 可以结转。报销 needs 发票。Claims 限三十天。",
}
COSINES = [0.9, 0.3, 0.8]


def spans_of(text):
    return [(one.start, one.end) for one in sentences(text)]


def found(text, cuts, similarity="given"):
    def given(doc):
        return Neighbours(spans_of(doc.text), COSINES[: max(0, len(spans_of(doc.text)) - 1)])

    chunks = [Chunk(f"d#{n}", n, "d", a, b, text[a:b], text[a:b]) for n, (a, b) in enumerate(cuts)]
    case = DocumentCase(document("d", text), chunks, similarity=given if similarity == "given" else similarity)
    return measure("chunks/coherence").find(case)


@pytest.mark.parametrize("language", TEXTS)
def test_a_border_between_topics_is_coherent_and_one_inside_a_topic_is_not(language):
    text = TEXTS[language]
    spans = spans_of(text)
    assert len(spans) == 4
    middle = found(text, [(0, spans[1][1]), (spans[2][0], len(text))])
    assert middle.value == pytest.approx((0.9 + 0.8) / 2 - 0.3)
    assert middle.evidence == "0.850 in 2 pairs inside, 0.300 in 1 across"
    assert found(text, [(0, spans[0][1]), (spans[1][0], len(text))]).value == pytest.approx((0.3 + 0.8) / 2 - 0.9)


@pytest.mark.parametrize("language", TEXTS)
def test_an_overlap_does_not_hide_the_border_it_lies_over(language):
    text = TEXTS[language]
    spans = spans_of(text)
    overlapping = found(text, [(0, spans[1][1]), (spans[1][0], len(text))])
    assert overlapping.value == found(text, [(0, spans[1][1]), (spans[2][0], len(text))]).value


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_cut_in_two_is_parted_from_both_its_neighbours(language):
    text = TEXTS[language]
    spans = spans_of(text)
    cut = (spans[1][0] + spans[1][1]) // 2
    chunks = [Chunk("", 0, "d", 0, cut, "", ""), Chunk("", 1, "d", cut, len(text), "", "")]
    assert borders_between(spans, chunks) == [True, True, False]
    assert borders_between(spans, chunks[::-1]) == [True, True, False]
    assert borders_between(spans, []) == [True, True, True]
    assert borders_between([], chunks) == [] == borders_between(spans[:1], chunks)


@pytest.mark.parametrize("language", TEXTS)
def test_a_chunk_without_a_whole_sentence_ends_no_sentence(language):
    text = TEXTS[language]
    third = spans_of(text)[2]
    chunks = [Chunk("", 0, "d", 0, len(text), "", ""), Chunk("", 1, "d", third[0] + 1, third[1] - 1, "", "")]
    assert borders_between(spans_of(text), chunks) == [False, False, False]


@pytest.mark.parametrize(
    ("cuts", "why"),
    [
        ([(0, 27)], "no border lies between"),
        ([(0, 7), (7, 14), (14, 20), (20, 27)], "no chunk holds two"),
        ([], "no chunks"),
    ],
)
def test_where_nothing_can_be_compared_it_is_not_applicable(cuts, why):
    one = found(TEXTS["zh"], cuts)
    assert one.status is Status.NOT_APPLICABLE and why in one.evidence


def test_one_sentence_and_no_vectors_are_not_applicable_and_a_fault_is_failed():
    assert "fewer than two sentences" in found("只有一句", [(0, 4)]).evidence
    without = found(TEXTS["en"], [(0, 20), (20, 60)], similarity=None)
    assert without.status is Status.NOT_APPLICABLE and "no sentence vectors" in without.evidence

    def broken(_):
        raise ConnectionError("refused")

    fault = found(TEXTS["en"], [(0, 20), (20, 60)], similarity=broken)
    assert fault.status is Status.FAILED and "refused" in fault.evidence


def test_documents_of_a_chunked_corpus_get_its_similarity():
    text = TEXTS["zh"]
    chunks = [
        Chunk(f"d#{n}", n, "d", a, b, text[a:b], text[a:b]) for n, (a, b) in enumerate([(0, 14), (14, len(text))])
    ]
    chunked = ChunkedCorpus(
        {"d": document("d", text)}, chunks, [1, 1], similarity=lambda doc: Neighbours(spans_of(doc.text), COSINES)
    )
    (row,) = evaluate([], chunked, [measure("chunks/coherence")]).to_rows()
    assert (row["subject"], row["status"]) == ("d", "scored") and row["value"] == pytest.approx(0.55)
