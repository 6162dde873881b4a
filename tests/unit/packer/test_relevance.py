from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from ragbench.errors import ConfigError, DataError
from ragbench.packer.relevance import RelevancePacker
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranked
from ragbench.records.trace import Asked, DroppedChunk
from tests.unit.packer.making import packer

TEXTS = {
    "zh": "# 休假\n年假十天。\n病假五天。\n\n婚假三天。",
    "en": "# Leave\nTen days a year.\nFive sick days.\n\nThree for a wedding.",
    "mixed": "# Leave 休假\n年假 ten days。\nSick leave 五天。\n\n婚假 three。",
}


def count(texts):
    return [len(text) for text in texts]


def corpus(text: str, spans: list[tuple[int, int]], doc: str = "a.md", at: int = 0, headings=("休假",)):
    document = Document(doc, text, "md", "sha256:0", title="手册")
    chunks = [Chunk(f"{doc}#{n}", at + n, doc, s, e, text[s:e], text[s:e], headings) for n, (s, e) in enumerate(spans)]
    return document, chunks


def pack(chunks, documents, order, budget=10_000, show="none", merge=True):
    ranking = tuple(Ranked(number, 1.0 - rank / 10, rank) for rank, number in enumerate(order, 1))
    stage = packer(RelevancePacker, budget=budget, show_headings=show, merge_neighbours=merge)
    return stage.pack(ranking, chunks, {d.doc_id: d for d in documents}, count)


@pytest.mark.parametrize("language", TEXTS)
def test_neighbours_become_one_block_at_the_better_rank(language: str) -> None:
    text = TEXTS[language]
    cut = text.index("\n\n")
    document, chunks = corpus(text, [(0, cut), (cut + 2, len(text))])
    other, more = corpus("别的 other.", [(0, 9)], "b.md", 2)
    context = pack([*chunks, *more], [document, other], [1, 2, 0])
    assert [(b.citation, b.doc_id, b.chunks, b.start, b.end) for b in context.blocks] == [
        (1, "a.md", (1, 0), 0, len(text)),
        (2, "b.md", (2,), 0, 9),
    ]
    assert context.blocks[0].text == text
    assert context.blocks[0].relevance == 0.9
    assert context.tokens == sum(b.tokens for b in context.blocks) == len(text) + 9


def test_text_between_keeps_chunks_apart_and_overlap_joins() -> None:
    text = "0123456789abcdefghij"
    document, chunks = corpus(text, [(0, 5), (6, 10), (4, 8), (12, 20)])
    assert [b.text for b in pack(chunks, [document], [0, 1, 3]).blocks] == ["01234", "6789", "cdefghij"]
    bridged = pack(chunks, [document], [0, 1, 3, 2])
    assert [(b.text, b.chunks) for b in bridged.blocks] == [("0123456789", (0, 1, 2)), ("cdefghij", (3,))]
    apart = pack(chunks, [document], [0, 2], merge=False)
    assert [b.text for b in apart.blocks] == ["01234", "4567"]


def test_too_large_is_skipped_and_the_next_is_tried() -> None:
    document, chunks = corpus("x" * 50 + " " + "y" * 200 + " " + "z" * 20, [(0, 50), (51, 251), (252, 272)])
    context = pack(chunks, [document], [0, 1, 2], budget=80, merge=False)
    assert [b.chunks for b in context.blocks] == [(0,), (2,)]
    assert context.dropped == (DroppedChunk(1, "too_large"),)
    assert context.tokens == 70 <= context.budget


def test_the_same_chunk_or_span_twice_is_a_duplicate() -> None:
    document, chunks = corpus("年假十天。病假", [(0, 5), (0, 5), (1, 3), (5, 7)])
    assert pack(chunks, [document], [0, 0, 1, 2]).dropped == tuple(DroppedChunk(n, "duplicate") for n in (0, 1, 2))
    apart = pack(chunks, [document], [0, 1, 2], merge=False)
    assert [b.chunks for b in apart.blocks] == [(0,), (2,)]


@pytest.mark.parametrize(("show", "line"), [("none", ""), ("trail", "休假 > 年假\n"), ("title", "手册\n")])
def test_the_heading_line_counts(show: str, line: str) -> None:
    document, chunks = corpus("十天。", [(0, 3)], headings=("休假", "年假"))
    (block,) = pack(chunks, [document], [0], show=show).blocks
    assert block.text == line + "十天。"
    assert block.tokens == len(line) + 3
    assert pack(chunks, [document], [0], show=show, budget=3 + len(line) - 1).blocks == ()


def test_a_block_that_opens_with_its_heading_does_not_say_it_twice() -> None:
    document, chunks = corpus("## 年假\n十天。", [(0, 9)], headings=("休假", "年假"))
    (block,) = pack(chunks, [document], [0], show="trail").blocks
    assert block.text == "休假\n## 年假\n十天。"


def test_nothing_ranked_gives_an_empty_context() -> None:
    context = pack([], [], [])
    assert (context.blocks, context.tokens, context.dropped) == ((), 0, ())


def test_no_room_is_told_from_too_large() -> None:
    document, chunks = corpus("x" * 50 + " " + "y" * 40, [(0, 50), (51, 91)])
    assert pack(chunks, [document], [0, 1], budget=60, merge=False).dropped == (DroppedChunk(1, "budget"),)


@pytest.mark.parametrize(("language", "kept"), [("zh", "# 休假\n年假十天。"), ("en", "# Leave\nTen days a year.")])
def test_a_chunk_is_cut_at_a_sentence_only_where_that_is_asked_for(language: str, kept: str) -> None:
    document, chunks = corpus(TEXTS[language], [(0, TEXTS[language].index("\n\n"))])
    stage = packer(RelevancePacker, budget=len(kept) + 2, truncate=True)
    ranking = (Ranked(0, 1.0, 1),)
    context = stage.pack(ranking, chunks, {"a.md": document}, count)
    assert [(b.text, b.start, b.end) for b in context.blocks] == [(kept, 0, len(kept))]
    assert context.dropped == (DroppedChunk(0, "truncated"),)
    whole = packer(RelevancePacker, budget=len(kept) + 2).pack(ranking, chunks, {"a.md": document}, count)
    assert (whole.blocks, whole.dropped) == ((), (DroppedChunk(0, "too_large"),))


def test_the_budget_is_what_the_window_leaves() -> None:
    stage = packer(RelevancePacker, budget=4000, window=8192, system=200, answer=2000)
    assert stage.room(Asked("问" * 92, ("a" * 1000,)), count) == 4000
    assert stage.room(Asked("问" * 992, ("a" * 2000,)), count) == 3000
    assert stage.room(Asked("问" * 9000), count) == 0


def test_tokens_are_the_models_own_where_its_tokenizer_is_named(tmp_path: Path) -> None:
    made = Tokenizer(models.WordLevel({"ten": 0, "days": 1, "十": 2, "天": 3, "?": 4}, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Split(Regex("十|天"), "isolated")]
    )
    made.save(str(tmp_path / "tokenizer.json"))
    stage = packer(RelevancePacker, budget=4, tokenizer=str(tmp_path / "tokenizer.json"))
    document, chunks = corpus("ten days 十天 \ud800 ten", [(0, 11), (12, 17)])
    context = stage.pack((Ranked(0, 1.0, 1), Ranked(1, 0.5, 2)), chunks, {"a.md": document}, count)
    assert [block.tokens for block in context.blocks] == [4]
    assert stage.fingerprint() != packer(RelevancePacker, budget=4).fingerprint()
    (tmp_path / "moved.json").write_bytes((tmp_path / "tokenizer.json").read_bytes())
    assert replace(stage, tokenizer=str(tmp_path / "moved.json")).fingerprint() == stage.fingerprint()


@pytest.mark.parametrize("content", [None, b"{}", b"\xff"])
def test_a_tokenizer_that_cannot_be_read_is_one_line(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"tokenizer\.json.*expected a tokenizer\.json") as error:
        packer(RelevancePacker, tokenizer=str(path)).pack((), [], {}, count)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"budget": 0}, {"budget": True}, {"budget": 1.5}, {"window": 0}, {"system": -1}, {"answer": "x"},
        {"window": 2200}, {"show_headings": "all"},
    ],
)  # fmt: skip
def test_bad_settings_are_named(bad) -> None:
    with pytest.raises(ConfigError, match=next(iter(bad))):
        packer(RelevancePacker, **bad)
