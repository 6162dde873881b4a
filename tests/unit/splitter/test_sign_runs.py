"""Levels of cuts against the patterns that say what a separator is, read character by character."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.splitter import levels
from ragbench.splitter.levels import BLANK, BLANK_LINE, CHARACTER, CJK_SENTENCE, COMMA, LINE, SENTENCE, cut_levels

_CLOSING = "”’」』）》】\"')\\]"
_PATTERNS = (
    (BLANK, re.compile(r"\s+(?=\S)")),
    (COMMA, re.compile(r"[，、：]+|[,:]\s+")),
    (SENTENCE, re.compile(rf"(?<![.!?;])[.!?;]+[{_CLOSING}]*\s+")),
    (CJK_SENTENCE, re.compile(f"[。！？；…]+[{_CLOSING}]*")),
    (LINE, re.compile(r"\n")),
    (BLANK_LINE, re.compile(r"(?<=\n)\n")),
)
_MARKER = re.compile(r"(?:^|\n)[ \t]*(?:\d{1,3}|[A-Za-z])\Z")
_PIECES = st.sampled_from(
    (
        *".!?;。！？；…，、：,: \t\n\u3000\xa0”’」』）》】\"')]a长٣é",
        "\n\n",
        "\n1. ",
        "\na. ",
        "年假 ",
        "word. ",
        "\x1c",
        "\ud800",
    )
)


def expected(text: str) -> list[int]:
    found = [CHARACTER] * (len(text) + 1)
    for level, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            dot = match.start()
            marker = level == SENTENCE and re.match(r"\.\s", match[0]) and _MARKER.search(text[:dot])
            if not marker:
                found[match.end()] = min(found[match.end()], level)
    return found


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_every_separator_is_found_once_whatever_stands_beside_it(text: str) -> None:
    assert cut_levels(text).tolist() == expected(text)


@pytest.mark.parametrize(
    "sentence", ["年假五天。“好！”\n\n", "One day. Ask (HR)!  \n", "用 API v2.1，see a. b; 见下：\n1. x"]
)
def test_stretches_part_no_run_of_signs(sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = sentence * 30
    for least in range(1, 12):
        monkeypatch.setattr(levels, "_STRETCH", least)
        assert cut_levels(text).tolist() == expected(text)
