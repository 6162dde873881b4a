"""What the measures of packing say of small contexts, by hand."""

from __future__ import annotations

import pytest

from ragbench.measure.case import Case
from ragbench.measure.registry import measure
from ragbench.records.score import Status
from ragbench.records.trace import ContextBlock, DroppedChunk, PackedContext
from ragbench.testing.cases import corpus, group, one_case, question, trace

TEXTS = {
    "zh": "年假有十天。病假有五天。婚假有三天。食堂开放。",
    "en": "Ten days. Five ill. Wedding 3. Noon.",
    "mixed": "年假 ten。病假 five。婚假 three。Noon。",
}


def chunked(language: str):
    """A document of four sentences, each a chunk, and another of one."""
    text = TEXTS[language]
    stop = "。" if "。" in text else "."
    spans, at = [], 0
    for piece in text.split(stop)[:4]:
        start = at + len(piece) - len(piece.lstrip())
        at += len(piece) + 1
        spans.append((start, at))
    return corpus({"d": text, "e": "别的 other."}, [*(("d", *span) for span in spans), ("e", 0, 9)])


def case(language: str, blocks: list[list[int]], evidence: list[int], heading: str = "", **more) -> Case:
    """A context of blocks, each from its first to its last chunk, and one evidence group a chunk."""
    made = chunked(language)
    packed = []
    for number, numbers in enumerate(blocks, 1):
        first, last = made.chunks[numbers[0]], made.chunks[numbers[-1]]
        text = heading + made.documents[first.doc_id].text[first.start : last.end]
        packed.append(ContextBlock(number, first.doc_id, first.start, last.end, tuple(numbers), text, 10))
    dropped = tuple(DroppedChunk(*one) for one in more.pop("dropped", ()))
    context = PackedContext(tuple(packed), 10 * len(packed), more.pop("budget", 100), dropped)
    groups = [group((made.chunks[n].doc_id, made.chunks[n].start, made.chunks[n].end)) for n in evidence]
    return one_case(question(groups=groups, **more), made, trace(fused=[0], context=context))


def value(name: str, one: Case) -> float | None:
    return measure(name).find(one).value


@pytest.mark.parametrize("language", TEXTS)
def test_share_of_evidence_counts_characters_and_headings(language: str) -> None:
    one = case(language, [[0], [4]], [0], heading="标题\n")
    size = one.corpus.chunks[0].end - one.corpus.chunks[0].start
    assert value("answer/evidence_share", one) == pytest.approx(size / (size + 9 + 6))
    assert value("answer/evidence_share", case(language, [[0]], [0])) == 1.0
    assert value("answer/evidence_share", case(language, [[4]], [0])) == 0.0


@pytest.mark.parametrize("language", TEXTS)
def test_context_relevancy_counts_sentences(language: str) -> None:
    assert value("answer/context_relevancy", case(language, [[0, 1, 2, 3]], [0, 2])) == 0.5
    assert value("answer/context_relevancy", case(language, [[0], [4]], [0], heading="标题\n")) == 0.5


@pytest.mark.parametrize("language", TEXTS)
def test_evidence_is_near_the_edge_or_in_the_middle(language: str) -> None:
    first, last, middle = (case(language, order, [1]) for order in ([[1], [4], [2]], [[4], [2], [1]], [[4], [1], [4]]))
    near = [value("answer/evidence_from_edge", one) for one in (first, last, middle)]
    assert near[0] is not None and near[1] is not None and near[2] == 1.0
    assert 0 < near[0] < 0.8 and 0 < near[1] < 0.8
    assert measure("answer/evidence_from_edge").find(case(language, [[4]], [1])).status is Status.NOT_APPLICABLE


@pytest.mark.parametrize("language", TEXTS)
def test_what_packing_lost_is_told_from_what_retrieval_lost(language: str) -> None:
    lost = case(language, [[0]], [0, 1, 2, 3], dropped=[(1, "budget"), (2, "shortened")])
    found = measure("answer/evidence_dropped").find(lost)
    assert found.value == 0.5
    assert "1 budget, 1 shortened" in found.evidence
    assert value("answer/evidence_in_context", lost) == 0.25
    assert value("answer/evidence_dropped", case(language, [[0]], [0, 3])) == 0.0


@pytest.mark.parametrize("language", TEXTS)
def test_half_an_item_satisfies_the_headline_and_not_the_full_one(language: str) -> None:
    made = chunked(language)
    chunk = made.chunks[0]
    block = ContextBlock(1, "d", chunk.start, chunk.end - 1, (0,), made.documents["d"].text[: chunk.end - 1], 9)
    groups = [group(("d", chunk.start, chunk.end))]
    one = one_case(question(groups=groups), made, trace(fused=[0], context=PackedContext((block,), 9, 100)))
    assert value("answer/evidence_in_context", one) == 1.0
    assert value("answer/evidence_in_context_full", one) == 0.0


@pytest.mark.parametrize("language", TEXTS)
def test_costs_of_a_context(language: str) -> None:
    one = case(
        language, [[0], [0, 1]], [0], dropped=[(2, "budget"), (3, "too_large"), (4, "duplicate"), (1, "truncated")]
    )
    sizes = [chunk.end - chunk.start for chunk in one.corpus.chunks]
    joined = one.corpus.chunks[1].end
    assert value("cost/context_repeated", one) == pytest.approx(sizes[0] / (sizes[0] + joined))
    assert value("cost/budget_used", one) == 0.2
    assert value("cost/dropped_no_room", one) == 2.0
    assert value("cost/dropped_duplicates", one) == 1.0
    assert value("cost/dropped_shortened", one) == 1.0


@pytest.mark.parametrize("language", TEXTS)
def test_an_empty_context(language: str) -> None:
    one = case(language, [], [0], dropped=[(0, "too_large")], budget=0)
    assert value("answer/evidence_in_context", one) == 0.0
    assert value("answer/evidence_dropped", one) == 1.0
    assert value("cost/context_repeated", one) == 0.0
    for name in ("answer/evidence_share", "answer/context_relevancy", "answer/evidence_from_edge", "cost/budget_used"):
        assert measure(name).find(one).status is Status.NOT_APPLICABLE, name


def test_whole_documents_have_no_extent() -> None:
    made = chunked("zh")
    block = ContextBlock(1, "d", 0, 6, (0,), "年假有十天。", 9)
    context = PackedContext((block,), 9, 100)
    one = one_case(question(groups=[group("d")]), made, trace(fused=[0], context=context))
    for name in ("answer/evidence_share", "answer/context_relevancy", "answer/evidence_from_edge"):
        assert measure(name).find(one).status is Status.NOT_APPLICABLE, name
    assert value("answer/evidence_in_context", one) == 1.0
