"""Levels of cuts, and that stretches change nothing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.splitter import length, levels, packing
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.levels import BLANK, BLANK_LINE, CHARACTER, CJK_SENTENCE, COMMA, LINE, SENTENCE, cut_levels
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import documents


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", [CHARACTER, CHARACTER, BLANK, CHARACTER]),
        ("a, b", [CHARACTER, CHARACTER, CHARACTER, COMMA, CHARACTER]),
        ("年，假。", [CHARACTER, CHARACTER, COMMA, CHARACTER, CJK_SENTENCE]),
        ("A. b", [CHARACTER, CHARACTER, CHARACTER, BLANK, CHARACTER]),
        ("Ab. c", [CHARACTER, CHARACTER, CHARACTER, CHARACTER, SENTENCE, CHARACTER]),
        ("1. a", [CHARACTER, CHARACTER, CHARACTER, BLANK, CHARACTER]),
        ("x?\n  12. a", [CHARACTER] * 3 + [LINE, CHARACTER, SENTENCE] + [CHARACTER] * 3 + [BLANK, CHARACTER]),
        ("x 1. a", [CHARACTER, CHARACTER, BLANK, CHARACTER, CHARACTER, SENTENCE, CHARACTER]),
        ("1234. a", [CHARACTER] * 6 + [SENTENCE, CHARACTER]),
        ("\t. a", [CHARACTER, BLANK, CHARACTER, SENTENCE, CHARACTER]),
        ("a\nb", [CHARACTER, CHARACTER, LINE, CHARACTER]),
        ("。\n\nb", [CHARACTER, CJK_SENTENCE, LINE, BLANK_LINE, CHARACTER]),
        ("", [CHARACTER]),
    ],
)
def test_the_coarsest_separator_counts(text, expected):
    assert cut_levels(text).tolist() == expected


@pytest.mark.parametrize("sign", [".", "!", ";", "。", "，", ": ", ". ", "\n1. ", " ", "    1. "])
def test_time_is_linear_in_runs_of_signs(sign):
    started = time.process_time()
    cut_levels(sign * (200_000 // len(sign)))
    assert time.process_time() - started < 3


@pytest.mark.parametrize("stretch", [1, 2, 7])
@settings(max_examples=60, deadline=None)
@given(document=documents(), size=st.integers(1, 60))
def test_stretches_change_nothing(stretch, document, size):
    splitters = [
        RecursiveSplitter(chunk_size=size, overlap=size // 3, chunk_unit=unit, min_size=None)
        for unit in ("chars", "words")
    ] + [FixedSplitter(chunk_size=size, overlap=0, chunk_unit="words")]
    in_one = cut_levels(document.text).tolist(), [splitter.spans(document) for splitter in splitters]
    length._memory.clear()
    with pytest.MonkeyPatch.context() as patch:
        for module in (length, levels, packing):
            patch.setattr(module, "_STRETCH", stretch)
        assert (cut_levels(document.text).tolist(), [splitter.spans(document) for splitter in splitters]) == in_one
