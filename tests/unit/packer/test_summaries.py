from __future__ import annotations

import pytest

from ragbench.errors import ConfigError
from ragbench.packer.summaries import SummariesPacker
from ragbench.packer.tokens import estimate_tokens
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranked
from ragbench.records.trace import DroppedChunk, PackedContext
from tests.unit.packer.making import packer

TEXTS = {
    "zh": (
        "年假按工龄计算。员工的年假天数由人事部核定。人事部核定后通知员工。食堂开放。",
        "员工的年假天数由人事部核定。",
    ),
    "en": (
        "Leave counts years. Days of leave are set by the office. The office opens early. Lunch is at noon.",
        "Days of leave are set by the office.",
    ),
    "mixed": (
        "HaloBus 设置 storage。HaloBus 的日志由 admin 保管。admin 保管密钥。Lunch at noon。",
        "HaloBus 的日志由 admin 保管。",
    ),
}


def pack(texts: list[str], order: list[int] | None = None, **knobs) -> PackedContext:
    documents = {str(at): Document(str(at), text, "md", "sha256:0") for at, text in enumerate(texts)}
    chunks = [Chunk(f"{at}#0", at, str(at), 0, len(text), text, text, ("标题",)) for at, text in enumerate(texts)]
    numbers = list(range(len(texts))) if order is None else order
    ranking = tuple(Ranked(number, 1.0 - rank / 10, rank) for rank, number in enumerate(numbers, 1))
    stage = packer(SummariesPacker, **{"full": 3, "line_tokens": 50, "lines": "each", **knobs})
    return stage.pack(ranking, chunks, documents, estimate_tokens)


@pytest.mark.parametrize("language", TEXTS)
def test_a_line_on_each_then_the_best_in_full(language: str) -> None:
    text, line = TEXTS[language]
    context = pack([text] * 5)
    assert [block.text for block in context.blocks] == [line] * 5 + [text] * 3
    assert [block.chunks for block in context.blocks] == [(n,) for n in (0, 1, 2, 3, 4, 0, 1, 2)]
    assert context.dropped == (DroppedChunk(3, "shortened"), DroppedChunk(4, "shortened"))
    assert text[context.blocks[0].start : context.blocks[0].end] == line


@pytest.mark.parametrize("language", TEXTS)
def test_lines_on_the_rest_alone(language: str) -> None:
    text, line = TEXTS[language]
    context = pack([text] * 4, lines="rest", full=1)
    assert [(block.text, block.chunks[0]) for block in context.blocks] == [(line, 1), (line, 2), (line, 3), (text, 0)]


@pytest.mark.parametrize("language", TEXTS)
def test_a_long_sentence_is_cut_to_the_tokens_of_a_line(language: str) -> None:
    text = TEXTS[language][1].rstrip("。.") * 9
    (block,) = pack([text], full=0, line_tokens=9).blocks
    assert text.startswith(block.text)
    assert 6 <= estimate_tokens([block.text])[0] <= 9
    assert text[len(block.text) : len(block.text) + 1].strip() == "" or not block.text[-1].isascii() or language != "en"


def test_a_list_marker_is_no_part_of_a_line() -> None:
    (line, _) = pack(["- 病假五天；\n"]).blocks
    assert (line.text, line.start) == ("病假五天；", 2)


def test_headings_alone_and_blanks() -> None:
    assert [block.text for block in pack(["# 休假"], full=0).blocks] == ["# 休假"]
    context = pack([" \n "], full=0)
    assert (context.blocks, context.dropped) == ((), (DroppedChunk(0, "budget"),))


def test_what_is_too_large_keeps_its_line_and_the_next_stands_in_full() -> None:
    long = "Days of leave are set by service. " * 40
    context = pack([long, "Lunch is at noon."], budget=60, full=1)
    assert [block.chunks for block in context.blocks] == [(0,), (1,), (1,)]
    assert context.dropped == (DroppedChunk(0, "shortened"),)


def test_the_trail_stands_in_front_of_lines_too() -> None:
    context = pack(["年假十天。"], show_headings="trail")
    assert [block.text for block in context.blocks] == ["标题\n年假十天。"] * 2


def test_the_same_chunk_twice_is_a_duplicate() -> None:
    assert pack(["年假十天。"], order=[0, 0]).dropped == (DroppedChunk(0, "duplicate"),)


@pytest.mark.parametrize("bad", [{"full": -1}, {"line_tokens": 0}, {"lines": "none"}])
def test_bad_settings_are_named(bad) -> None:
    with pytest.raises(ConfigError, match=next(iter(bad))):
        pack([], **bad)
