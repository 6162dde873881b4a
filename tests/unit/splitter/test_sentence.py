"""Whole sentences, and what happens to the long ones."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.splitter.sentence import SentenceSplitter
from ragbench.splitter.word_borders import word_borders
from ragbench.testing.splitter_contract import assert_spans, documents, make


def splitter(size=512, overlap=0, smallest=0, unit="chars"):
    return SentenceSplitter(chunk_size=size, overlap=overlap, chunk_unit=unit, min_size=smallest)


def texts(text, kind="md", **knobs):
    document = make(text, kind)
    return [document.text[span.start : span.end] for span in splitter(**knobs).spans(document)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["他说：“年假五天。”", "“真的吗？！”", "我想了想……", "工作满十年的，年休假十天；"],
        [
            'He said: "Five days."',
            "Is it e.g. 3.14 or v1.2.3 (see No. 5)?",
            "Ask Dr. J. Smith of Acme Inc. today!",
            "Fine.",
        ],
        ["使用 text-embedding-v3。", "The API returns HTTP 400.", "请见 AI-2024-03 号文！"],
    ],
    ids=["zh", "en", "mixed"],
)
def test_chunks_begin_and_end_with_a_sentence(sentences):
    text = "".join(sentence + (" " if sentence[-1].isascii() else "") for sentence in sentences)
    for size in range(max(map(len, sentences)), len(text) + 1):
        chunks = texts(text, size=size)
        assert all(len(chunk) <= size for chunk in chunks)
        assert all(any(chunk.endswith(one) for one in sentences) for chunk in chunks), "ends with a sentence"
        assert all(any(chunk.startswith(one) for one in sentences) for chunk in chunks), "starts with a sentence"


def test_list_items_headings_rows_and_rules_are_sentences():
    text = "# 总则\n\n1. 第一步，登录\n2. 第二步，提交\n\n| 级别 | 时限。长 |\n| --- | --- |\n| 一级 | 9 分。短 |\n\n---\n\n后文。"
    assert texts(text, size=14) == [
        "# 总则",
        "1. 第一步，登录",
        "2. 第二步，提交",
        "| 级别 | 时限。长 |",
        "| --- | --- |",
        "| 一级 | 9 分。短 |",
        "---\n\n后文。",
    ]


def test_packs_as_many_as_fit():
    assert texts("一二三。四五六。七八九。", size=8) == ["一二三。四五六。", "七八九。"]
    assert texts("One two. Three four. Five six.", size=20) == ["One two. Three four.", "Five six."]


def test_overlap_is_whole_sentences():
    text = "甲乙丙。丁戊。己庚辛。壬癸。"
    assert texts(text, size=8, overlap=0) == ["甲乙丙。丁戊。", "己庚辛。壬癸。"]
    assert texts(text, size=8, overlap=3) == ["甲乙丙。丁戊。", "丁戊。己庚辛。", "壬癸。"]
    assert texts(text, size=8, overlap=2) == ["甲乙丙。丁戊。", "己庚辛。壬癸。"]
    assert texts(text, size=11, overlap=7) == ["甲乙丙。丁戊。己庚辛。", "丁戊。己庚辛。壬癸。"]


def test_a_part_of_a_sentence_is_not_repeated():
    text = "一二三四，五六七八，九十甲乙。丙丁。"
    assert texts(text, size=10, overlap=9) == ["一二三四，五六七八，", "九十甲乙。丙丁。"]


@pytest.mark.parametrize(
    ("text", "size", "parts"),
    [
        ("工作满一年的员工，可以申请年休假，须提前三天", 10, ["工作满一年的员工，", "可以申请年休假，", "须提前三天"]),
        (
            "after one year, an employee may apply, in time",
            16,
            ["after one year,", "an employee may", "apply, in time"],
        ),
        ("员工请假须提前在系统中提交申请并说明原因", 7, ["员工请假须提前", "在系统中提交", "申请并说明原因"]),
        ("调用text-embedding-v3之前先设置batch大小", 17, ["调用", "text-embedding-v3", "之前先设置batch大小"]),
        ("see AI-2024-03 and 1,000,000 don't", 11, ["see", "AI-2024-03", "and", "1,000,000", "don't"]),
    ],
    ids=["zh commas", "en commas", "zh words", "mixed", "signs inside words"],
)
def test_long_sentences_are_cut_at_commas_then_between_words(text, size, parts):
    assert texts(text, size=size) == parts


def test_a_stop_inside_a_word_ends_nothing():
    text = "前文在此。Secrets may be given as `HL_…_FILE` pointing at a file."
    for size in range(12, len(text)):
        assert any("HL_…_FILE" in chunk for chunk in texts(text, size=size))


def test_only_a_word_longer_than_the_size_is_cut_inside():
    url = "https://a.example/one/two-three/four"
    assert texts(f"see {url} now", size=20) == ["see https://a.", "example/one/two-", "three/four now"]
    assert texts(f"see {url} now", size=len(url)) == ["see", url, "now"]
    assert texts("ab abcdefghijklmnopqrstuvwxyz cd", size=10) == ["ab", "abcdefghij", "klmnopqrst", "uvwxyz cd"]


def test_a_fence_is_no_trap():
    code = "\n".join(f"line_{number} = call(a, b). Next" for number in range(20))
    chunks = texts(f"前言。\n\n```python\n{code}\n```\n\n后文。第二句。", size=100)
    assert [line for chunk in chunks for line in chunk.split("\n") if line.startswith("line_")] == code.split("\n")
    assert chunks[-1].endswith("后文。第二句。")
    few = "\n".join(f"call(alpha, beta, gamma, delta, {number})" for number in range(6))
    chunks = texts(f"```\n{few}\n```", size=60)
    assert [line for chunk in chunks for line in chunk.split("\n") if line.startswith("call")] == few.split("\n")
    short = "```\na = 1. B\n\nb = 2. C\n```"
    assert short in texts(f"{short}\n\n" + "后文。" * 20, size=40)[0]


@pytest.mark.parametrize("opening", ["```", "```python", "~~~~", "````"])
def test_a_fence_that_never_closes_hides_no_sentence(opening):
    chunks = texts(f"{opening}\n" + "第一句话。" * 10 + "\n\n~~~\nx\n~~~\n\n" + "Second one. " * 10, size=40)
    assert all(re.search(r"[。.]$|~~~$", chunk) for chunk in chunks)


def test_records_without_stops_are_cut_at_lines():
    lines = [f"host{n} in the north hall restarted its service, code {n}, no further information" for n in range(40)]
    chunks = texts("\n".join(lines), "text", size=200)
    assert [line for chunk in chunks for line in chunk.split("\n")] == lines


def test_a_heading_does_not_end_a_chunk():
    text = "前一段的内容在此。\n\n## 请假\n\n员工请假须提前三天在系统中提交。"
    assert texts(text, size=25) == ["前一段的内容在此。", "## 请假\n\n员工请假须提前三天在系统中提交。"]
    assert texts("# 手册\n\n## 总则\n\n" + "长" * 20 + "。", size=22) == ["# 手册\n\n## 总则", "长" * 20 + "。"]
    assert texts("甲乙丙丁。\n\n## 附录", size=100) == ["甲乙丙丁。\n\n## 附录"]


def test_a_short_tail_takes_a_sentence():
    text = "一二三四五六七。一二三四五六七。一二三四五六七。短。"
    assert texts(text, size=24, smallest=0) == [text[:24], "短。"]
    assert texts(text, size=24, smallest=5) == [text[:16], text[16:]]


def test_tokens_by_default():
    default = SentenceSplitter(chunk_size=None, overlap=None, chunk_unit=None, min_size=None).resolved()
    assert (default.chunk_size, default.chunk_unit, default.overlap) == (512, "tokens", 51)


@settings(max_examples=100, deadline=None)
@given(documents(), st.integers(20, 120), st.integers(0, 19))
def test_no_word_that_fits_is_cut(document, size, overlap):
    text = document.text
    runs = [found.span() for found in re.finditer(r"[A-Za-z0-9]+", text)]
    words = runs + [found.span() for found in re.finditer(r"[A-Za-z0-9]+(?:[-._/@:&+#]+[A-Za-z0-9]+)*", text)]
    for span in splitter(size, overlap).spans(document):
        for start, end in words:
            assert end - start > size or not any(start < cut < end for cut in (span.start, span.end))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("工作满一年（含）“加班”须审批。", ["工作", "满", "一年", "（含）", "“加班”", "须", "审批。"]),
        ("It's 3.14 (or 1,000): see foo_bar.", ["It's ", "3.14 ", "(or ", "1,000): ", "see ", "foo_bar."]),
        ("用GPT-4写e\u0301 👩‍👩‍👧🏽！", ["用", "GPT-4", "写", "e\u0301 ", "👩‍👩‍👧🏽！"]),
        ("", []),
        ("年", ["年"]),
    ],
    ids=["zh", "en", "mixed", "empty", "one"],
)
def test_word_borders(text, words):
    cuts = [0, *word_borders(text), len(text)]
    assert [text[low:high] for low, high in pairwise(cuts) if low < high] == words


@pytest.mark.parametrize(
    "piece", ["第", "a:", "(", "( ", "\u200d", "\u0301", "a-", "```a\n", "| ", "， ", "x\n", "1. "]
)
def test_hostile_runs_take_linear_time(piece):
    import time

    document = make(piece * (100_000 // len(piece)), "text")
    started = time.process_time()
    assert splitter(500).spans(document)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("sign", list("-._/'@:&+#…"))
def test_a_run_of_signs_is_read_once(sign):
    """A leader of dots in a table of contents, a rule of dashes inside a line."""
    document = make(f"目录 {sign * 100_000} 12", "text")
    started = time.process_time()
    assert_spans(document, splitter().spans(document))
    assert time.process_time() - started < 3
