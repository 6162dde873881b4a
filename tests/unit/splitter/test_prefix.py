"""The contextual prefix."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.corpus.load_code import load_code
from ragbench.corpus.loader import make_document
from ragbench.errors import ConfigError
from ragbench.eval_set.coverage import Alignment
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.code import CodeSplitter
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.prefix import KINDS, ContextPrefix
from ragbench.testing.cases import group, question
from ragbench.testing.splitter_contract import documents, make

KNOBS = {"chunk_size": None, "chunk_unit": "chars", "overlap": 0}
TEXT = "# 手册 Guide\n\n## 休假 leave\n\n年假五天 five days"


def index_texts(kind, text=TEXT, doc_kind="md"):
    document = make(text, doc_kind)
    chunks = chunk_corpus(FixedSplitter(chunk_size=12, chunk_unit="chars", overlap=0), [document])
    after = ContextPrefix(kind=kind).apply(chunks, {document.doc_id: document})
    assert [chunk.text for chunk in after] == [chunk.text for chunk in chunks]
    assert [chunk.span for chunk in after] == [chunk.span for chunk in chunks]
    return [chunk.index_text for chunk in after]


def test_headings_above_the_chunk_but_not_its_own():
    assert index_texts("headings") == [
        "# 手册 Guide",
        "手册 Guide\n## 休假 leave",
        "手册 Guide > 休假 leave\n年假五天 five d",
        "手册 Guide > 休假 leave\nays",
    ]


@pytest.mark.parametrize(
    ("top", "part", "sections", "body"),
    [
        ("手册", "一、总则", ("1.1 范围", "1.2 定义"), "适用于公司本部及各分支机构的全体员工。"),
        ("Guide", "1 General", ("1.1 Scope", "1.2 Terms"), "It holds for all of the staff."),
        ("HR 手册", "1 General", ("1.1 Scope", "1.2 定义"), "适用于 all staff of 公司本部。"),
    ],
    ids=["zh", "en", "mixed"],
)
def test_the_prefix_is_what_stands_above_the_headings_in_the_chunk(top, part, sections, body):
    opening = f"## {part}\n\n### {sections[0]}\n\n{body}"
    document = make(f"# {top}\n\n{body}\n\n{opening}\n\n### {sections[1]}\n\n{body}")
    splitter = MarkdownSplitter(chunk_size=None, chunk_unit=None, overlap=None, min_size=15, max_atomic=None)
    found = ContextPrefix(kind="headings").apply(chunk_corpus(splitter, [document]), {document.doc_id: document})
    assert [chunk.index_text for chunk in found] == [
        f"# {top}\n\n{body}",
        f"{top}\n{opening}",
        f"{top} > {part}\n### {sections[1]}\n\n{body}",
    ]


def test_title_or_file_name():
    assert index_texts("title")[1] == "手册 Guide\n## 休假 leave"
    assert index_texts("title", "no heading", "text") == ["a\nno heading"]


def test_none_and_documents_without_headings():
    assert index_texts("none")[1] == "## 休假 leave"
    assert index_texts("headings", "no heading", "text") == ["no heading"]


def test_unknown_kind():
    with pytest.raises(ConfigError, match="context"):
        ContextPrefix(kind="sections")


LEAVE = {
    "zh": ("食堂有面条。员工年假为五天，年假须申请。申请年假填写表格。", "员工年假为五天，年假须申请。"),
    "en": (
        "Noodles on Monday. Staff leave is five days and leave needs a request. Leave requests use a form.",
        "Staff leave is five days and leave needs a request.",
    ),
    "mixed": (
        "食堂有 noodles。API 的 batch 上限是 10，超过上限 the batch 返回 400。batch 上限 applies to API v3。",
        "API 的 batch 上限是 10，超过上限 the batch 返回 400。",
    ),
}
LANGUAGES = pytest.mark.parametrize(("leave", "central"), LEAVE.values(), ids=LEAVE)


def summaries(text, doc_kind="md", size=None, overlap=0):
    """The prefix of each chunk, with what follows it."""
    document = make(text, doc_kind)
    splitter = MarkdownSplitter(chunk_size=size, chunk_unit="chars", overlap=overlap, min_size=0, max_atomic=None)
    chunks = chunk_corpus(splitter, [document])
    after = ContextPrefix(kind="summary").apply(chunks, {document.doc_id: document})
    found = []
    for before, chunk in zip(chunks, after):
        assert chunk.index_text.endswith(before.text)
        assert replace(chunk, index_text=before.index_text) == before, "nothing but index_text changes"
        found.append((chunk.index_text.removesuffix(before.text).removesuffix("\n"), chunk.text))
    return found


@LANGUAGES
def test_the_summary_is_the_central_sentence_of_the_section_before(leave, central):
    parts = [f"# A\n\n{leave}", "## B\n\n别的 other.", f"## C\n\n{leave}"]
    assert summaries("\n\n".join(parts)) == [("", parts[0]), (central, parts[1]), ("别的 other.", parts[2])]


@LANGUAGES
def test_every_chunk_of_a_section_has_the_same_summary(leave, central):
    found = summaries(f"# A\n\n{leave}\n\n# B\n\n{leave * 5}", size=120)
    of_b = [prefix for prefix, text in found[1:] if not text.startswith("# A")]
    assert len(of_b) > 1
    assert set(of_b) == {central}


def test_sections_without_text_are_passed_over():
    found = summaries("before.\n\n# A\n\nof a.\n\n# B\n\n## C\n\nof c.\n\n---\n\n# D\n\nof d.")
    assert [prefix for prefix, _ in found] == ["", "before.", "of a.", "of a.", "of c."]


@LANGUAGES
def test_without_headings_it_is_of_the_chunk_before(leave, central):
    other = "完全不同 totally different " * 4 + "。"
    found = summaries(f"{leave}\n\n{other}\n\n{leave}", "text", size=max(len(leave), len(other)) + 5)
    assert [prefix for prefix, _ in found][:2] == ["", central]
    assert found[2][0].startswith("完全不同")


def test_what_overlaps_is_not_summarised():
    first, central, last = (
        "Noodles here. Leave request. Five days. ",
        "Leave request of five days.",
        " Nothing else at all.",
    )
    document = make(first + central + last, "text")
    size = len(first + central)
    splitter = FixedSplitter(chunk_size=size, chunk_unit="chars", overlap=len(central))
    chunks = chunk_corpus(splitter, [document])
    found = ContextPrefix(kind="summary").apply(chunks, {document.doc_id: document})
    assert chunks[1].text.startswith(central)
    assert found[1].index_text.split("\n")[0] == "Noodles here."


def test_a_sentence_that_fits_is_preferred_and_the_longest_is_cut():
    long = "年假" * 40
    assert summaries(f"{long}，年假。年假五天。\n\n# B\n\nx")[1][0] == "年假五天。"
    assert summaries(f"{long}\n\n# B\n\nx")[1][0] == long[:50]
    words = " ".join(["holiday"] * 60)
    assert summaries(f"{words}\n\n# B\n\nx")[1][0] == " ".join(["holiday"] * 25)


def test_of_source_it_is_of_the_definition_before():
    text = "import os\n\n\ndef leave(days):\n    return days\n\n\ndef other():\n    pass\n"
    document = make_document("a.py", load_code(text.encode(), "python"))
    chunks = chunk_corpus(CodeSplitter(**{**KNOBS, "chunk_size": 40}, min_size=0, max_atomic=None), [document])
    found = ContextPrefix(kind="summary").apply(chunks, {document.doc_id: document})
    assert [chunk.index_text.split("\n")[0] for chunk in found] == [
        "import os",
        "import os",
        "def leave(days)",
    ]


@settings(max_examples=80, deadline=None)
@given(documents(), st.sampled_from(KINDS), st.integers(5, 80), st.data())
def test_offsets_text_and_headings_are_unchanged_by_every_kind(document, kind, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    chunks = chunk_corpus(FixedSplitter(chunk_size=size, chunk_unit="chars", overlap=overlap), [document])
    after = ContextPrefix(kind=kind).apply(chunks, {document.doc_id: document})
    assert [replace(chunk, index_text=chunk.text) for chunk in after] == chunks
    assert all(chunk.index_text.endswith(chunk.text) for chunk in after)
    assert kind != "summary" or not after or after[0].index_text == after[0].text


def test_evidence_covers_the_same_chunks_with_and_without_a_summary():
    document = make(f"# A\n\n{LEAVE['zh'][0]}\n\n# B\n\n{LEAVE['en'][0]}")
    chunks = chunk_corpus(FixedSplitter(chunk_size=30, chunk_unit="chars", overlap=5), [document])
    asked = [question("q", [group((document.doc_id, 5, 20)), group((document.doc_id, 40, 70))])]
    documents = {document.doc_id: document}
    before = Alignment(asked, chunks, documents)
    assert before.pieces[0][1]
    for kind in KINDS:
        after = Alignment(asked, ContextPrefix(kind=kind).apply(chunks, documents), documents)
        assert (after.fates, after.grades, after.pieces) == (before.fates, before.grades, before.pieces)
