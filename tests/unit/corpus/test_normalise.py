"""What normalisation changes, and what it must leave alone."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragbench.corpus import normalise as module
from ragbench.corpus.fences import fence_pairs
from ragbench.corpus.normalise import normalise

_LINES = st.sampled_from(
    [
        "",
        "  ",
        "a  b",
        "年假　　5天",
        "\t",
        "| a  | b |",
        "```",
        "```py",
        "~~~~",
        "    code  x",
        "a\u0301",
        "\u0301",
        "x\r",
        "a \u0301",
        "> ```",
        "名称   数量",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(_LINES, max_size=14).map("\n".join)))
def test_is_idempotent_and_nfc(text):
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == "" or once.strip()


@pytest.mark.parametrize(
    "text",
    ["，：（）", "①②", "10⁶ m²", "ＡＢＣ１２３", "ﬁ", "𠮷", "👩‍👩‍👧", "Straße", "第3条　总则"],
    ids=lambda text: text,
)
def test_compatibility_forms_stay(text):
    assert normalise(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc\u2028d\x0ce", "a\nb\nc\nd\ne"),
        ("\ufeff年\u200b假\x00\x07", "年假"),
        ("soft\u00adhyphen", "softhyphen"),
        ("cafe\u0301", "café"),
        ("a\n\n\n\nb", "a\n\nb"),
        ("a\n \n\t\n  \nb", "a\n\nb"),
        ("a  b \t \nc", "a b\nc"),
        ("年假　　5天", "年假 5天"),
        ("　　首行缩进", "　　首行缩进"),
        ("\n\n  indented\n\n", "  indented"),
        ("\ud800", "\ufffd"),
        ("  \n\n ", ""),
        ("", ""),
    ],
)
def test_what_goes(text, expected):
    assert normalise(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```py\nx  =  1\n\n\n\ny\n```",
        "~~~\na   \n\n\n\nb\n~~~",
        "> ```\n> a  b\n> ```",
        "| a   | b |",
        "    x  =  1",
        "金额（元）    终审人    附加要求",
        "料号\t品名",
    ],
)
def test_code_tables_and_columns_keep_their_blanks(text):
    assert normalise(text) == text


def test_an_unclosed_fence_protects_nothing():
    assert normalise("~~~~~~~\na  b\n\n\n\nc") == "~~~~~~~\na b\n\nc"


def test_without_collapse_only_ends_and_controls_change():
    assert normalise("\n\nif x:\n\n\n\n  y  =  1\x00\n", collapse=False) == "if x:\n\n\n\n  y  =  1"


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("```\na\n```", [(0, 2)]),
        ("````\n```\n````", [(0, 2)]),
        ("```\n~~~\n```\n~~~", [(0, 2)]),
        ("```py\n```py\n```", [(0, 2)]),
        ("``` a ``` b", []),
        ("```", []),
        ("````\n```", []),
    ],
)
def test_fences_close_as_commonmark_says(text, pairs):
    assert fence_pairs(text.split("\n")) == pairs


@pytest.mark.parametrize("piece", ["长", "```\n", "~~~~\n\n\n", " \n", "| a |\n", "a  ", "\x00", "`" * 50 + "\n"])
def test_hostile_megabytes_take_seconds(piece):
    started = time.process_time()
    normalise(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 5


@settings(max_examples=300, deadline=None)
@example("a\n\n\n\nb", 0)
@example("a\n \n\nb  c\n\n", 2)
@given(st.lists(_LINES, max_size=14).map("\n".join), st.integers(0, 12))
def test_a_text_in_pieces_becomes_what_it_becomes_whole(text, size):
    whole, before = normalise(text), module._PIECE
    module._PIECE = size
    try:
        assert normalise(text) == whole
    finally:
        module._PIECE = before


@settings(max_examples=300, deadline=None)
@example("a \n\n\nb")
@example("年假 ")
@example("\n\n年 假\n\n")
@given(st.one_of(st.lists(_LINES, max_size=14).map("\n".join), st.text("a年 \u3000\t\n|", max_size=30)))
def test_a_text_is_left_alone_only_where_nothing_is_to_collapse(text):
    plain = normalise(text, collapse=False)
    assert normalise(text) == module._strip_blank_lines(module._collapse(plain))
    if module._is_even(plain):
        assert normalise(text) == plain
