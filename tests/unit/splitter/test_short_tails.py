"""A last chunk that is too short takes from the one before it, which stays a chunk of its own."""

from __future__ import annotations

import pytest

from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.splitter.sentence import SentenceSplitter
from ragbench.testing.splitter_contract import assert_spans, make

INDENTED = {
    "zh": "员工年假有多少天？工作满一年不满十年的，年休假5天；已满十年的，10天。\n    零零零零零零\n\n…",
    "en": "How many days of paid leave are there in a year?\n    000000\n\n!",
    "mixed": "员工年假 leave 有多少天？工作满一年 5 天；已满十年的，10天。\n    000000\n\n…",
}
REPEATED = {
    "zh": ("长长长长长。年假年假\n    长长长长长！， ", 14, 4, 7),
    "en": ("leave .\n    leave  \n!\n", 14, 3, 6),
    "mixed": ("..,.leave  \n    !长长长长长leave \n,)", 21, 3, 7),
}
SENTENCES = {
    "zh": "甲：员工有多少天？满一年不满十年的年休假五天；满十年的十天。\n乙：" + "长" * 90 + "\n丙：无。\n丁：五点。",
    "en": "One: how many days? After a year it is five days, after ten it is ten. " + "Long " * 90 + "end. Two. Three.",
    "mixed": "a.q: 员工年假有多少天？工作满一年不满十年的年休假5天；满十年的10天。\na.x: "
    + "长" * 90
    + "\nb.x: 1\nc.xx: null",
}


@pytest.mark.parametrize("overlap", range(12))
@pytest.mark.parametrize("language", INDENTED)
def test_nothing_is_taken_from_an_indentation(language, overlap):
    splitter = RecursiveSplitter(chunk_size=12, overlap=overlap, chunk_unit="chars", min_size=None)
    document = make(INDENTED[language], "md")
    assert_spans(document, splitter.spans(document))


@pytest.mark.parametrize("language", REPEATED)
def test_a_tail_does_not_take_all_that_only_the_chunk_before_it_holds(language):
    text, size, overlap, smallest = REPEATED[language]
    splitter = RecursiveSplitter(chunk_size=size, overlap=overlap, chunk_unit="chars", min_size=smallest)
    document = make(text, "text")
    assert_spans(document, splitter.spans(document))


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_are_not_taken_from_a_chunk_that_has_no_other_new_ones(language):
    document = make(SENTENCES[language], "text")
    for overlap in range(0, 117):
        splitter = SentenceSplitter(chunk_size=117, overlap=overlap, chunk_unit="words", min_size=None)
        assert_spans(document, splitter.spans(document))


@pytest.mark.parametrize(
    ("lengths", "size", "overlap", "smallest"),
    [((2, 6, 3, 10, 3, 2), 19, 13, 9), ((1, 5, 12, 10, 4, 12, 8, 3), 30, 21, 15)],
)
def test_no_run_of_sentences_ends_where_the_one_before_does(lengths, size, overlap, smallest):
    document = make("".join("长" * length + "。" for length in lengths), "text")
    splitter = SentenceSplitter(chunk_size=size, overlap=overlap, chunk_unit="chars", min_size=smallest)
    spans = splitter.spans(document)
    assert_spans(document, spans)
    if size == 19:
        assert [(span.start, span.end) for span in spans] == [(0, 14), (10, 25), (25, 32)], "as long as it may"
