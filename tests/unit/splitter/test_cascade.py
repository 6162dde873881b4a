"""Structure, then separators, then neighbours."""

from __future__ import annotations

import pytest

from ragbench.corpus.load_code import load_code
from ragbench.corpus.load_json import load_json
from ragbench.corpus.loader import make_document
from ragbench.errors import ConfigError
from ragbench.splitter.cascade import CascadeSplitter
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import make

PROSE = {
    "zh": "员工年假为五天，可以分次使用，不跨年度。加班须事先审批。",
    "en": "Five days of leave, which may be taken in parts. Ask HR first.",
    "mixed": "使用 API 时 batch 不超过 10，otherwise 返回 HTTP 400。见 annex 3。",
}
LANGUAGES = pytest.mark.parametrize("prose", PROSE.values(), ids=PROSE)


def splitter(size=400, smallest=None, most=None, unit="chars", overlap=0):
    return CascadeSplitter(chunk_size=size, overlap=overlap, chunk_unit=unit, min_size=smallest, max_atomic=most)


def texts(text, kind="md", **knobs):
    document = make(text, kind)
    return [document.text[span.start : span.end] for span in splitter(**knobs).spans(document)]


@LANGUAGES
def test_sections_are_chunks(prose):
    parts = [f"# A\n\n{prose * 3}", f"## B\n\n{prose * 4}", f"## C\n\n{prose * 5}"]
    assert texts("\n\n".join(parts), smallest=50) == parts


@LANGUAGES
def test_a_long_section_is_cut_as_by_recursive(prose):
    section = f"## A\n\n{prose * 40}"
    document = make(f"## A\n\n{prose * 40}\n\n## B\n\n{prose * 9}")
    plain = RecursiveSplitter(chunk_size=200, overlap=0, chunk_unit="chars", min_size=25).spans(make(section))
    assert splitter(200).spans(document)[: len(plain)] == plain


@LANGUAGES
def test_short_sections_of_one_level_are_merged_up_to_the_size(prose):
    short = [f"## {name}\n\n{prose}" for name in "ABCDEF"]
    size = 3 * len(short[0]) + 10
    found = texts("\n\n".join(short), size=size, smallest=len(short[0]) + 5)
    assert found == ["\n\n".join(short[:3]), "\n\n".join(short[3:])]


@LANGUAGES
def test_merged_sections_are_never_cut_to_fill_a_chunk(prose):
    short = [f"## {name}\n\n{prose}\n\n{prose}" for name in "ABCDEF"]
    size = int(2.6 * len(short[0]))
    found = texts("\n\n".join(short), size=size, smallest=len(short[0]) + 5)
    assert found == ["\n\n".join(short[at : at + 2]) for at in (0, 2, 4)]


@LANGUAGES
def test_a_short_section_does_not_join_another_chapter(prose):
    parts = ["# I", f"## A\n\n{prose * 3}", "## B\n\nx", "# II", f"## C\n\n{prose * 3}", "# III\n\nx"]
    assert texts("\n\n".join(parts), smallest=10) == [
        "\n\n".join(parts[:3]),
        "\n\n".join(parts[3:5]),
        parts[5],
    ]


def test_a_short_heading_with_sub_sections_is_not_torn_from_them():
    prose = PROSE["en"]
    parts = [f"## A\n\n{prose}", "## B", f"### B1\n\n{prose * 3}", f"### B2\n\n{prose * 3}"]
    assert texts("\n\n".join(parts), smallest=30) == [parts[0], "\n\n".join(parts[1:3]), parts[3]]


def test_what_fits_is_not_cut_and_what_does_not_is_cut_between_lines():
    rows = [f"| {n} | 等级 level |" for n in range(12)]
    table, fence = "\n".join(rows), "```\n" + "some code here;\n" * 8 + "```"
    text = f"# A\n\n{PROSE['zh']}\n\n{table}\n\n{PROSE['en']}\n\n{fence}\n\nend of the text"
    whole = texts(text, size=250)
    assert any(table in chunk for chunk in whole)
    assert any(fence in chunk for chunk in whole)
    apart = texts(text, size=100)
    assert max(map(len, apart)) <= 100
    assert [row for chunk in apart for row in chunk.split("\n") if row.startswith("|")] == rows
    assert any(table in chunk for chunk in texts(text, size=100, most=400))


CLAUSES = {
    "zh": [f"第{number}条　{PROSE['zh']}\n\n（一）书面；\n\n（二）当日。" for number in "一二三四五六"],
    "en": [f"Article {number} {PROSE['en']}\n\n(a) in writing;\n\n(b) today." for number in range(1, 7)],
    "mixed": [f"第{number}条 {PROSE['mixed']}\n\nSee annex {number}。" for number in range(1, 7)],
}
PAIRS = {
    "zh": [
        f"问：{name}有几天？\n\n答：{PROSE['zh']}\n\n另见附件。"
        for name in ("年假", "病假", "婚假", "产假", "事假", "丧假")
    ],
    "en": [f"Q: Number {number}?\n\nA: {PROSE['en']}\n\nAsk again." for number in range(6)],
    "mixed": [f"Q{number}: API 限额？\n\nA: {PROSE['mixed']}\n\nSee 附件。" for number in range(1, 7)],
}


@pytest.mark.parametrize("kind", ["md", "text", "pdf"])
@pytest.mark.parametrize("units", [*CLAUSES.values(), *PAIRS.values()])
def test_clauses_and_pairs_that_fit_are_never_cut(units, kind):
    for size in range(len(units[0]) + 2, 3 * len(units[0]), 13):
        found = texts("\n\n".join(units), kind, size=size, smallest=0)
        assert all(sum(unit in chunk for chunk in found) == 1 for unit in units), size
        assert max(map(len, found)) <= size


def test_a_clause_longer_than_the_size_is_cut():
    long = "第二条　" + PROSE["zh"] * 9
    found = texts(f"第一条　短。\n\n{long}\n\n第三条　短。", "text", size=100)
    assert max(map(len, found)) <= 100
    assert "".join(found).count("年假") == 9


def test_source_code_goes_by_its_definitions():
    functions = [f"def f{n}(x):\n    return x + {n} * {'9' * 60}\n" for n in range(3)]
    document = make_document("a.py", load_code("\n\n".join(functions).encode(), "python"))
    chunks = chunk_corpus(splitter(100, smallest=20), [document])
    assert [chunk.text for chunk in chunks] == [function.rstrip() for function in functions]
    assert [chunk.headings for chunk in chunks] == [(f"def f{n}(x)",) for n in range(3)]


def test_json_records_stay_together():
    records = ", ".join(f'{{"name": "供应商{n}", "city": "Shanghai", "days": {n}}}' for n in range(9))
    document = make_document("a.json", load_json(f"[{records}]".encode()))
    found = [document.text[span.start : span.end] for span in splitter(120).spans(document)]
    assert all(chunk.count("name") == chunk.count("city") == chunk.count("days") for chunk in found)


@pytest.mark.parametrize(("unit", "size", "smallest"), [("chars", 800, 100), ("tokens", 400, 50), ("words", 250, 31)])
def test_defaults(unit, size, smallest):
    shown = splitter(None, unit=unit).resolved()
    assert (shown.chunk_size, shown.min_size, shown.max_atomic, shown.overlap) == (size, smallest, size, 0)


def test_impossible_knobs():
    with pytest.raises(ConfigError, match="min_size"):
        splitter(100, smallest=51)
    with pytest.raises(ConfigError, match="max_atomic"):
        splitter(100, most=0)
