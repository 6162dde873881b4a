"""What a page is told of how a question's context was packed."""

from __future__ import annotations

import pytest

from ragbench.records.question import Question
from ragbench.records.trace import ContextBlock, DroppedChunk, PackedContext, Trace
from ragbench.report.labels import texts
from ragbench.report.view_questions import ChunkTexts, details
from ragbench.testing.packer_contract import REASONS

PLACES = [(f"{n}.md", 0, 9, ()) for n in range(9)]


@pytest.mark.parametrize("text", ["年假十天。", "Ten days.", "年假 ten。"])
def test_blocks_in_reading_order_and_each_chunk_dropped_with_its_reason(text: str) -> None:
    blocks = (ContextBlock(1, "3.md", 2, 9, (3,), text, 7), ContextBlock(2, "1.md", 0, 9, (1, 2), text, 7))
    dropped = (DroppedChunk(5, "too_large"), DroppedChunk(1, "shortened"), DroppedChunk(99, "budget"))
    trace = Trace("q", context=PackedContext(blocks, 14, 4000, dropped))
    chunks = ChunkTexts(PLACES)
    row = details(Question("q", text), trace, None, chunks, lambda _: None)
    assert [block[:6] for block in row["blocks"]] == [[1, "3.md", [3], 7, 2, 9], [2, "1.md", [1, 2], 7, 0, 9]]
    read = {one["n"]: (one["t"], one.get("x")) for one in chunks.rows(lambda _: None, 1000)}
    assert [read[block[6]] for block in row["blocks"]] == [(text, 1)] * 2, "a block that is no chunk has its own text"
    assert row["packed"] == {"tokens": 14, "budget": 4000, "dropped": [[5, "too_large"], [1, "shortened"]]}
    assert 5 in chunks.used, "what was dropped is drawn too"


def test_nothing_is_told_where_nothing_is_packed() -> None:
    row = details(Question("q", "谁"), Trace("q"), None, ChunkTexts(PLACES), lambda _: None)
    assert row["packed"] is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_reason_has_words(language: str) -> None:
    assert {f"d_drop_{reason}" for reason in REASONS} <= set(texts(language)["ui"])
