"""The contextual prefix."""

from __future__ import annotations

import pytest

from ragbench.errors import ConfigError
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.prefix import ContextPrefix
from ragbench.testing.splitter_contract import make

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
        ContextPrefix(kind="summary")
