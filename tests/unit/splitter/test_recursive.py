"""Separators from coarse to fine."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import documents, make

ZH = "工作满一年的员工，年休假为五天；满十年的，为十天。病假须附证明！试用期呢？按月折算。\n" * 6
EN = (
    "After one year leave is five days; after ten years, ten days. Sick leave needs a note! And probation? Pro rata.\n"
    * 4
)
MIXED = "工作满一年 leave is five days；满十年，ten days。Sick leave 须附证明! And 试用期？Pro rata.\n" * 5


def spans(text, size, overlap=0, smallest=None):
    document = make(text, "text")
    splitter = RecursiveSplitter(chunk_size=size, overlap=overlap, chunk_unit="chars", min_size=smallest)
    return document.text, splitter.spans(document)


def texts(text, size, overlap=0, smallest=0):
    text, found = spans(text, size, overlap, smallest)
    return [text[span.start : span.end] for span in found]


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("aa\n\nbb\ncc", 5, ["aa", "bb\ncc"]),
        ("aa\nbb\n\ncc", 6, ["aa\nbb", "cc"]),
        ("第一句。第二句！第三句？第四句", 8, ["第一句。第二句！", "第三句？第四句"]),
        ("他说：“走吧。”然后走了。", 8, ["他说：“走吧。”", "然后走了。"]),
        ("One is 1.5. Two e.g. x. Three", 12, ["One is 1.5.", "Two e.g. x.", "Three"]),
        ("甲，乙，丙，丁", 4, ["甲，乙，", "丙，丁"]),
        ("alpha beta gamma", 6, ["alpha", "beta", "gamma"]),
        ("一二三四五六七", 3, ["一二三", "四五六", "七"]),
        ("1. Do this\n2. Do that", 12, ["1. Do this", "2. Do that"]),
        ("short", 100, ["short"]),
    ],
)
def test_the_coarsest_separator_that_is_enough(text, size, expected):
    assert texts(text, size) == expected


@pytest.mark.parametrize("text", [ZH, EN, MIXED], ids=["zh", "en", "mixed"])
def test_chunks_end_at_sentences_when_sentences_fit(text):
    for chunk in texts(text, 130):
        assert re.search(r"[。！？；.!?;]$", chunk), chunk


@pytest.mark.parametrize("text", [ZH, EN, MIXED, "长" * 900], ids=["zh", "en", "mixed", "no_blank"])
def test_overlap_is_between_half_and_whole_of_what_was_asked(text):
    text, found = spans(text, 120, 30)
    shared = [before.end - after.start for before, after in pairwise(found)]
    assert max(shared) <= 30
    assert min(shared) >= 14  # a blank at the border is not part of it


@pytest.mark.parametrize("text", [ZH, EN], ids=["zh", "en"])
def test_overlap_begins_at_a_natural_place_where_there_is_one(text):
    text, found = spans(text, 120, 40)
    for span in found[1:]:
        assert re.search(r"[\s。！？；，.!?;,]$", text[: span.start]), text[span.start - 5 : span.start + 5]


@settings(max_examples=150, deadline=None)
@given(documents(), st.integers(8, 90), st.integers(0, 4))
def test_nothing_shorter_than_min_size_stays_alone(document, size, tenths):
    document = make("".join(document.text.split()), "text")
    splitter = RecursiveSplitter(chunk_size=size, overlap=size * tenths // 10, chunk_unit="chars", min_size=None)
    lengths = [span.end - span.start for span in splitter.spans(document)]
    assert len(lengths) < 2 or min(lengths) >= splitter.smallest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("标题\n\n" + "长" * 38, ["标题\n\n" + "长" * 36, "长长"]),
        ("头" * 30 + "。" + "\n\n尾巴。", ["头" * 30 + "。\n\n尾巴。"]),
    ],
)
def test_a_short_piece_joins_its_neighbour(text, expected):
    assert texts(text, 40, 0, 0) != texts(text, 40, 0, 10) or texts(text, 40, 0, 10) == expected
    assert min(map(len, texts(text, 40, 0, 10))) >= 10


def test_a_short_tail_takes_from_the_chunk_before_it():
    found = texts("第一句话在这里。第二句话在这里。第三句话在这里。末尾。", 24, 0, 6)
    assert found == ["第一句话在这里。第二句话在这里。", "第三句话在这里。末尾。"]


def test_indentation_of_the_first_line_stays():
    text = "para one is here\n\n    code line one\n    code line two"
    assert texts(text, 40, 0, 0) == ["para one is here", "    code line one\n    code line two"]


@pytest.mark.parametrize("piece", ["?", "...!", ";", ".)", "…", "，", ",", "1.", "\n1", " ", "a "])
def test_runs_of_one_sign_take_linear_time(piece):
    document = make(piece * (200_000 // len(piece)) + "x", "text")
    started = time.process_time()
    RecursiveSplitter(chunk_size=500, overlap=0, chunk_unit="chars", min_size=None).spans(document)
    assert time.process_time() - started < 3
