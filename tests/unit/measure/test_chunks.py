"""Boundaries, sizes and metadata of a chunk set."""

from dataclasses import replace
from itertools import pairwise

import pytest

from ragbench.measure.case import ChunkedCorpus, DocumentCase, VariantCase
from ragbench.measure.chunks.borders import borders
from ragbench.measure.chunks.metadata import heading_trail
from ragbench.measure.registry import measure
from ragbench.records.document import Chunk, Heading
from ragbench.records.score import Status
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.testing.cases import corpus, document
from ragbench.testing.splitter_contract import make

SENTENCES = {
    "zh": ["员工每年享有年假十五天。", "年假可以结转吗？", "可以；截至三月底。"],
    "en": ["Leave is 3.5 days, e.g. for Dr. Li. ", "Can it be carried over? ", "Yes, until March."],
    "mixed": ["年假 is 15 days. ", "见 HR v2.1 第3节。", "Carry over 至三月底！"],
}


def doc_case(text, spans, doc_type="markdown", **more):
    chunks = [Chunk(f"d#{n}", n, "d", a, b, text[a:b], text[a:b]) for n, (a, b) in enumerate(spans)]
    return DocumentCase(document("d", text, doc_type, **more), chunks)


def quality(text, spans, doc_type="markdown"):
    return measure("chunks/boundary_quality").find(doc_case(text, spans, doc_type)).value


def cuts(text, *at):
    edges = [0, *at, len(text)]
    return list(pairwise(edges))


@pytest.mark.parametrize("language", SENTENCES)
def test_cuts_between_sentences_are_good_and_inside_them_bad(language):
    sentences = SENTENCES[language]
    text = "".join(sentences)
    first = len(sentences[0])
    assert quality(text, cuts(text, first)) == 1.0
    assert quality(text, cuts(text, first + 2)) == 0.5
    assert quality(text, cuts(text, first - 2)) == 0.5


def test_a_decimal_an_abbreviation_and_an_address_end_no_sentence():
    text = "It is 3.5, e.g. at http://a.b/?c=d by Dr. Li."
    assert [at for at in range(len(text) + 1) if borders(text).ends_at(at)] == [len(text)]


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("We met Prof. Lee at noon.", "Lee"),
        ("Acme Inc. was sold.", "was"),
        ("It is due on Jan. 5 at the latest.", "5"),
        ("Come at 5 p.m. today or later.", "today"),
        ("See No. 7 of the list.", "7"),
        ("会议由 Prof. Lee 主持。", "Lee"),
    ],
)
def test_a_cut_after_an_abbreviation_is_bad(text, second):
    assert quality(text, cuts(text, text.index(second))) == 0.5


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("It was sold to Acme Inc. The price is unknown.", "The"),
        ("The office closes at 5 p.m. Nobody is there later.", "Nobody"),
        ("Is it allowed? No. We said so.", "We"),
        ("A shop in Tacoma co-op. then a bar.", "then"),
    ],
)
def test_a_cut_where_a_sentence_ends_in_an_abbreviation_is_good(text, second):
    assert quality(text, cuts(text, text.index(second))) == 1.0


@pytest.mark.parametrize("line", ["=====", "---", "  --"])
@pytest.mark.parametrize(("title", "body"), [("休假制度", "员工享有年假"), ("Leave policy", "everyone has leave")])
def test_what_follows_an_underlined_heading_is_a_border(title, body, line):
    text = f"intro text\n\n{title}\n{line}\n{body} without stop"
    assert quality(text, cuts(text, text.index(body))) == 1.0
    assert quality(text, cuts(text, text.index(line))) == 0.5, "the underline belongs to its heading"
    ruled = f"- {title}\n***\n{body}"
    assert quality(ruled, cuts(ruled, ruled.index(body))) == 1.0


def test_a_newline_in_a_paragraph_is_no_border_and_a_blank_line_is():
    text = "a line that goes\non here\n\nnext paragraph"
    assert quality(text, cuts(text, text.index("on"))) == 0.5
    assert quality(text, cuts(text, text.index("next"))) == 1.0


def test_headings_items_and_rows_are_borders():
    text = "# Title\nintro without stop\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    for start in ("intro", "- one", "- two", "| a", "| 1"):
        assert quality(text, cuts(text, text.index(start))) == 1.0, start
    assert quality(text, cuts(text, text.index("| 2"))) == 0.5


def test_a_cut_inside_a_fence_is_bad_even_at_the_end_of_a_sentence():
    text = "Intro.\n\n```text\nOne. \n\nTwo.\n```\nAfter."
    assert quality(text, cuts(text, text.index("Two"))) == 0.5
    assert quality(text, cuts(text, text.index("After"))) == 1.0
    unclosed = "Intro.\n\n```text\nOne.\n\nTwo."
    assert quality(unclosed, cuts(unclosed, unclosed.index("Two"))) == 1.0


@pytest.mark.parametrize("marks", [("第一条", "第二条"), ("## 第1条", "## 第2条"), ("Article 1", "Article 2")])
def test_a_cut_inside_a_clause_is_bad_and_between_clauses_good(marks):
    text = f"{marks[0]} 甲方负责。乙方付款。\n丙方见证。\n{marks[1]} 另有约定。"
    assert quality(text, cuts(text, text.index("乙方"))) == 0.5
    assert quality(text, cuts(text, text.index("丙方"))) == 0.5
    assert quality(text, cuts(text, text.index(marks[1]))) == 1.0


def test_code_and_tables_are_cut_by_line():
    text = "def f():\n    return 1\n"
    assert quality(text, cuts(text, text.index("    return")), "code") == 1.0
    assert quality(text, cuts(text, text.index("f()")), "code") == 0.5


def test_blanks_at_the_edges_of_a_chunk_do_not_count():
    text = "One.  \n\n  Two."
    assert quality(text, [(0, 6), (8, len(text))]) == 1.0


def test_a_document_without_chunks_is_not_applicable_and_blank_text_has_no_borders():
    assert measure("chunks/boundary_quality").find(doc_case("x", [])).status is Status.NOT_APPLICABLE
    assert not any(borders(" \n").starts_at(at) or borders(" \n").ends_at(at) for at in range(3))


def test_the_heading_trail_follows_the_outline():
    outline = (Heading(0, 1, "A"), Heading(10, 2, "B"), Heading(20, 3, "C"), Heading(30, 2, "D"))
    assert [heading_trail(outline, at) for at in (0, 9, 10, 25, 30)] == [
        ("A",),
        ("A",),
        ("A", "B"),
        ("A", "B", "C"),
        ("A", "D"),
    ]
    assert heading_trail(outline[1:], 3) == ()


def test_metadata_is_right_when_offsets_and_trail_are():
    text = "# A\ntext one\n# B\ntext two"
    outline = (Heading(0, 1, "A"), Heading(13, 1, "B"))
    good = Chunk("d#0", 0, "d", 0, 12, text[:12], text[:12], ("A",))
    wrong_trail = Chunk("d#1", 1, "d", 13, 25, text[13:25], "", ("A",))
    wrong_text = Chunk("d#2", 2, "d", 13, 25, "text", "", ("B",))
    case = DocumentCase(document("d", text, outline=outline), [good, wrong_trail, wrong_text])
    assert measure("chunks/metadata_correct").find(case).value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "titles",
    [("制度", "一、总则", "1.1 范围"), ("Policy", "General", "Scope"), ("HR 手册", "一、Leave", "1.1 年假 days")],
)
def test_the_trail_of_a_chunk_that_opens_with_headings_holds_them(titles):
    lines = [f"# {titles[0]}", "", titles[1], "---", f"### {titles[2]}", "", "text"]
    text = "\n".join(lines)
    outline = tuple(
        Heading(text.index(title) - 2 * (n == 0) - 4 * (n == 2), n + 1, title) for n, title in enumerate(titles)
    )

    def right(start, end):
        """Which of the trails the measure holds for right."""
        given = document("d", text, outline=outline)
        return [
            trail
            for trail in (titles, titles[:2], titles[:1], titles[1:], ())
            if measure("chunks/metadata_correct")
            .find(DocumentCase(given, [Chunk("d#0", 0, "d", start, end, text[start:end], "", trail)]))
            .value
        ]

    assert right(0, len(text)) == [titles]
    assert right(text.index(titles[1]), len(text)) == [titles]
    assert right(len(text) - 4, len(text)) == [titles]
    assert right(0, text.index("---") + 3) == [titles[:2]]
    assert right(0, text.index(titles[1]) - 2) == [titles[:1]]


@pytest.mark.parametrize("text", ["#tag\n---\ntext", "####### seven\n===\ntext", "a\n    ---\nb\n===\n# x\n\ntext"])
def test_the_trails_of_the_splitter_are_right(text):
    found = make(text)
    chunks = chunk_corpus(FixedSplitter(chunk_size=3, chunk_unit="chars", overlap=0), [found])
    assert measure("chunks/metadata_correct").find(DocumentCase(found, chunks)).value == 1.0


def test_sizes_and_overhead():
    variant = VariantCase(corpus({"d": "x" * 100}, [("d", 0, 50), ("d", 40, 100), ("d", 0, 10)]), [])
    names = ("size_mean", "size_min", "size_p10", "size_p50", "size_p90", "size_p95", "size_max", "n_chunks")
    values = [measure(f"chunks/{name}").find(variant).value for name in names]
    assert values == pytest.approx([40.0, 10.0, 18.0, 50.0, 58.0, 59.0, 60.0, 3.0])
    assert measure("chunks/index_overhead").find(variant).value == 1.2
    empty = VariantCase(corpus({"d": ""}, []), [])
    assert measure("chunks/n_chunks").find(empty).value == 0.0
    for name in (*names[:-1], "share_short", "share_over", "index_overhead"):
        assert measure(f"chunks/{name}").find(empty).status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    "text",
    [
        "年假十五天，可以结转到次年三月底，逾期作废。",
        "Leave is 15 days and carries over.",
        "年假 is 15 天, carries over 到三月",
    ],
)
def test_short_and_over_long_chunks(text):
    chunked = corpus({"d": text}, [("d", 0, 19), ("d", 0, 20), ("d", 0, 20), ("d", 1, 20)])
    assert measure("chunks/share_short").find(VariantCase(chunked, [])).value == 0.5
    assert measure("chunks/share_over").find(VariantCase(chunked, [])).value == 0.0
    flagged = [replace(chunk, flags=("atomic",) if chunk.number == 2 else ()) for chunk in chunked.chunks]
    over = VariantCase(replace(chunked, chunks=flagged), [])
    assert measure("chunks/share_over").find(over).value == 0.25


def test_a_fence_that_may_not_be_cut_is_over_long():
    found = make("前文。\n\n```\n" + "line of code\n" * 30 + "```\n\n后文。", "md")
    splitter = MarkdownSplitter(chunk_size=50, chunk_unit="chars", overlap=0, min_size=1, max_atomic=None)
    chunks = chunk_corpus(splitter, [found])
    case = VariantCase(ChunkedCorpus({found.doc_id: found}, chunks, [1] * len(chunks)), [])
    assert measure("chunks/share_over").find(case).value == pytest.approx(1 / len(chunks))
