"""Runs of combining marks: short enough to be sorted, and nothing else changed."""

from __future__ import annotations

import random
import time
import unicodedata

import pytest

from ragbench.corpus.combining import MAX_MARKS, long_runs, stream_safe
from ragbench.corpus.loader import make_document
from ragbench.corpus.normalise import normalise
from ragbench.corpus.page_text import agreement
from ragbench.corpus.parsed import whole

WORDS = {"zh": "年假か\u3099五天", "en": "re\u0301sume\u0323\u0302", "mixed": "年假 e\u0301 क्षि 😀 5 天"}
# Marks of several classes, letters that hold marks, and marks that always come apart.
SIGNS = "aấᾂ각😀 \u0301\u0316\u0323\u0344\u0f73\u0f71\u034f\u09c7\u09be\u0300\u0345\U0001d165\U0001d16d"


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
def test_what_people_write_is_only_composed(word):
    assert stream_safe(word * 50) == word * 50
    assert normalise(word) == unicodedata.normalize("NFC", word)
    assert "warnings" not in make_document("a.txt", whole(word * 50, "text")).metadata


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("run", ["\u0301\u0316", "\u0316\u0301", "\u0f73", "\u0344", "\U0001d165\u0316"])
def test_a_long_run_is_parted_in_linear_time_with_a_warning(word, run):
    text = f"{word}a{run * 200_000}b{word}"
    started = time.process_time()
    document = make_document("a.txt", whole(text, "text"))
    assert agreement(text, text) == 1
    assert time.process_time() - started < 5, "a second or less where nothing else runs; twenty without the limit"
    assert document.metadata["warnings"] == ["1 run of more than 30 combining marks: parted by U+034F"]
    assert document.text.startswith(normalise(word))
    assert document.text.endswith("b" + normalise(word))
    assert all(len(piece) <= MAX_MARKS + 2 for piece in document.text[len(word) : -len(word)].split("\u034f"))


def test_thirty_marks_stay_and_thirty_one_do_not():
    assert stream_safe("x" + "\u0316" * 30) == "x" + "\u0316" * 30
    assert stream_safe("x" + "\u0316" * 31) == "x" + "\u0316" * 30 + "\u034f\u0316"
    assert stream_safe("ấ" + "\u0323" * 29) == "ấ" + "\u0323" * 28 + "\u034f\u0323", "its own marks count"
    assert long_runs(normalise("ấ" + "\u0323" * 29 + "x" + "\u0316" * 99)) == 2


def test_a_second_pass_changes_nothing():
    draw = random.Random(7)
    for _ in range(3000):
        text = "".join(draw.choice(SIGNS) * draw.choice((1, 1, 2, 27, 28, 29, 30, 31, 61)) for _ in range(5))
        once = normalise(text, collapse=False)
        assert normalise(once, collapse=False) == once == unicodedata.normalize("NFC", once), ascii(text)
