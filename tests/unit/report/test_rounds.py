"""What a page is told of rounds of retrieval and of a question back."""

from __future__ import annotations

import pytest

from ragbench.records.question import Question
from ragbench.records.search import Ranked, SearchRequest
from ragbench.records.trace import Answer, Trace, TraceStep
from ragbench.report.view_questions import ChunkTexts, details

PLACES = [(f"{n}.md", 0, 9, ()) for n in range(9)]


def step(text: str, *chunks: int, **more: object) -> TraceStep:
    ranking = tuple(Ranked(chunk, 1.0, rank) for rank, chunk in enumerate(chunks, 1))
    return TraceStep((SearchRequest(text, tenant=None),), (), ranking, ranking, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["谁批", "who signs", "API 的 owner"])
def test_each_round_with_what_it_found_and_answered(text: str) -> None:
    first, second = step(text, 1, 2, 3, 4, answer=Answer("王工"), note="confidence 0.10 under 0.5"), step("再查", 5)
    merged = TraceStep((*first.requests, *second.requests), (), first.fused, first.fused)
    chunks = ChunkTexts(PLACES)
    row = details(Question("q", text), Trace("q", steps=(first, second, merged)), None, chunks, lambda _: None)
    assert row["rounds"] == [
        {"searched": [text], "found": [1, 2, 3], "answer": "王工", "note": "confidence 0.10 under 0.5"},
        {"searched": ["再查"], "found": [5], "answer": None, "note": ""},
    ]
    assert 5 in chunks.used, "what a round found is drawn too"
    alone = details(Question("q", text), Trace("q", steps=(first,)), None, ChunkTexts(PLACES), lambda _: None)
    assert alone["rounds"] == []


def test_a_question_back_is_told() -> None:
    for answer, back in ((Answer("哪个？", clarifies=True), True), (Answer("王工"), False)):
        row = details(Question("q", "谁"), Trace("q", answer=answer), None, ChunkTexts(PLACES), lambda _: None)
        assert row["answer"]["clarifies"] is back
