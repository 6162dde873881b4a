"""Windows of equal length."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ragbench.splitter.fixed import FixedSplitter
from ragbench.testing.splitter_contract import make


def texts(text, size, overlap, unit="chars"):
    document = make(text, "text")
    spans = FixedSplitter(chunk_size=size, overlap=overlap, chunk_unit=unit).spans(document)
    return [document.text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        ("abcdefghij", 4, 0, ["abcd", "efgh", "ij"]),
        ("abcdefghij", 4, 1, ["abcd", "defg", "ghij"]),
        ("abcdefghij", 4, 3, ["abcd", "bcde", "cdef", "defg", "efgh", "fghi", "ghij"]),
        ("一二三四五六七八", 3, 1, ["一二三", "三四五", "五六七", "七八"]),
        ("年假 has 五天", 5, 0, ["年假 ha", "s 五天"]),
        ("abcd", 4, 3, ["abcd"]),
        ("abcde", 4, 3, ["abcd", "bcde"]),
        ("ab\n\ncd", 2, 0, ["ab", "cd"]),
    ],
)
def test_windows(text, size, overlap, expected):
    assert texts(text, size, overlap) == expected


def test_words():
    assert texts("one two three four five", 2, 1, "words") == ["one two", "two three", "three four", "four five"]
    assert texts("年假5天 per year", 3, 0, "words") == ["年假5", "天 per year"]


@pytest.mark.parametrize("overlap", [0, 1, 50, 99])
def test_neighbours_share_exactly_the_overlap(overlap):
    document = make("".join(chr(0x4E00 + n % 5000) for n in range(1234)), "text")
    spans = FixedSplitter(chunk_size=100, overlap=overlap, chunk_unit="chars").spans(document)
    shared = {before.end - after.start for before, after in pairwise(spans)}
    assert shared == {overlap}
    assert {span.end - span.start for span in spans[:-1]} == {100}
    assert spans[-1].end == 1234 and spans[-1].end - spans[-1].start > overlap
