"""From spans to chunks, and rows of chunks."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import pytest

from ragbench.corpus.loader import make_document
from ragbench.corpus.parsed import Parsed
from ragbench.errors import DataError
from ragbench.records.document import Document, Span
from ragbench.splitter.base import Splitter
from ragbench.splitter.chunking import chunk_corpus, chunks_from_rows, chunks_to_rows
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import make

MARKDOWN = MarkdownSplitter(chunk_size=None, chunk_unit=None, overlap=None, min_size=0, max_atomic=None)


@dataclass(frozen=True, kw_only=True)
class Given(Splitter):
    found: tuple[tuple[int, int], ...]

    def spans(self, document: Document) -> list[Span]:
        return [Span(*span) for span in self.found]


def test_trails_lines_numbers_and_ids():
    document = make("前言\n\n# 一\n\nx\n\n### 一.一\n\ny\n\n## 二\n\nz\n\n# 三\n\nw")
    other = make("plain", "text")
    chunks = chunk_corpus(MARKDOWN, [document, other])
    assert [chunk.headings for chunk in chunks] == [(), ("一",), ("一", "一.一"), ("一", "二"), ("三",), ()]
    assert [chunk.line for chunk in chunks] == [1, 3, 7, 11, 15, 1]
    assert [chunk.number for chunk in chunks] == [0, 1, 2, 3, 4, 5]
    assert [chunk.chunk_id for chunk in chunks] == [f"a.md#{n}" for n in range(5)] + ["a.text#0"]


def test_a_chunk_has_the_page_it_begins_on():
    document = make_document("a.pdf", Parsed((("one", 1), ("two", 3)), "pdf"))
    chunks = chunk_corpus(FixedSplitter(chunk_size=2, chunk_unit="chars", overlap=0), [document])
    assert [(chunk.text, chunk.page) for chunk in chunks] == [("on", 1), ("e", 1), ("tw", 3), ("o", 3)]


SECTIONS = {
    "zh": ("员工休假管理制度", "一、总则", "1.1 适用范围", "适用于公司本部及各分支机构的全体员工。"),
    "en": ("Leave policy", "1 General", "1.1 Scope", "It holds for head office and all branches."),
    "mixed": ("HR 手册", "一、Leave", "1.1 年假 days", "年假 is 15 days，见 HR v2.1。"),
}


@pytest.mark.parametrize("language", SECTIONS)
def test_a_chunk_that_opens_with_headings_stands_under_all_of_them(language):
    top, part, section, body = SECTIONS[language]
    markdown = MarkdownSplitter(chunk_size=80, chunk_unit="chars", overlap=0, min_size=20, max_atomic=None)
    opening = f"## {part}\n\n### {section}\n\n"
    size = len(opening + body)
    recursive = RecursiveSplitter(chunk_size=size, chunk_unit="chars", overlap=0, min_size=0)
    full = f"# {top}\n\n{body * 3}"[: size - 2]
    document = make(f"{full}\n\n{opening}{body}")
    for splitter in (markdown, recursive):
        last = chunk_corpus(splitter, [document])[-1]
        assert last.text == opening + body
        assert last.headings == (top, part, section)
        assert last.line == 5


TEXT = "# A\n\n## B\n\n### C\n\ntext\n\n## D\nmore\n\n## E"


@pytest.mark.parametrize(
    ("piece", "trail"),
    [
        (TEXT, ("A", "B", "C")),
        ("# A\n\n## B", ("A", "B")),
        ("# A\n\n#", ("A", "B")),
        ("# A", ("A",)),
        ("B\n\n### C", ("A", "B", "C")),
        ("C\n\ntext", ("A", "B", "C")),
        ("text\n\n## D\nmore", ("A", "B", "C")),
        ("\n## D\nmore", ("A", "D")),
        ("more\n\n## E", ("A", "D")),
        ("## E", ("A", "E")),
    ],
)
def test_the_trail_is_that_of_the_first_line_that_is_no_heading(piece, trail):
    start = TEXT.index(piece)
    (chunk,) = chunk_corpus(Given(found=((start, start + len(piece)),)), [make(TEXT)])
    assert chunk.headings == trail


@pytest.mark.parametrize(
    ("text", "trail"),
    [
        ("两行\n标题\n===\n\nB\n---\ntext", ("两行 标题", "B")),
        ("#tag\n===\n## B ##\ntext", ("#tag", "B")),
        ("# A\n---\n## B\ntext", ("A",)),
        ("# A\n```\n## B\n```\n", ("A",)),
        ("# A\n\n> ## B\n\ntext", ("A",)),
        ("# A\n##\ntext", ("A",)),
        ("# A\n## B\n#\ntext", ()),
    ],
    ids=["underlined", "no number sign", "rule", "fence", "quotation", "empty", "empty closes"],
)
def test_what_is_a_heading_line(text, trail):
    document = make(text)
    assert chunk_corpus(Given(found=((0, len(document.text)),)), [document])[0].headings == trail


@pytest.mark.parametrize("found", [((0, 0),), ((0, 99),), ((3, 5), (0, 2)), ((0, 2), (0, 4)), ((2, 3),), ((-1, 2),)])
def test_a_splitter_that_breaks_its_contract_is_named(found):
    with pytest.raises(DataError, match=r"Given on a\.text"):
        chunk_corpus(Given(found=found), [make("ab  cd", "text")])


def test_blank_corpus_gives_no_chunks():
    assert chunk_corpus(MARKDOWN, [make(""), make("  \n")]) == []


def test_rows_hold_no_text_and_detect_another_document():
    document = make("# A\n\ntext 文")
    chunks = chunk_corpus(MARKDOWN, [document])
    (row,) = chunks_to_rows(chunks)
    assert set(row) == {"chunk_id", "doc_id", "start", "end", "line", "hash", "headings"}
    assert chunks_from_rows([row], {"a.md": document}) == chunks
    with pytest.raises(DataError, match="another text"):
        chunks_from_rows([row], {"a.md": make("# B\n\nother text")})
    with pytest.raises(DataError, match="no such document"):
        chunks_from_rows([row], {})


def test_a_chunk_has_the_metadata_of_its_document_as_it_is_now():
    document = replace(make("# A\n\ntext 文"), metadata={"tenant": "甲", "year": 2024})
    chunks = chunk_corpus(MARKDOWN, [document])
    assert all(chunk.metadata is document.metadata for chunk in chunks)
    moved = replace(document, metadata={"tenant": "acme"})
    again = chunks_from_rows(list(chunks_to_rows(chunks)), {"a.md": moved})
    assert [chunk.metadata for chunk in again] == [{"tenant": "acme"}] * len(chunks)


def test_a_hundred_thousand_chunks_take_seconds():
    documents = [make(f"# {n}\n\n" + "长句子。" * 250) for n in range(100)]
    started = time.process_time()
    chunks = chunk_corpus(FixedSplitter(chunk_size=1, chunk_unit="chars", overlap=0), documents)
    assert len(chunks) > 100_000
    assert time.process_time() - started < 6


@pytest.mark.parametrize("text", ["# h\n\n" * 50_000, "a\n" * 50_000 + "===\n\ntext", "#x\n===\n" * 20_000])
def test_chunks_among_many_headings_take_seconds(text):
    started = time.process_time()
    document = make(text)
    made = time.process_time()
    assert len(chunk_corpus(FixedSplitter(chunk_size=2, chunk_unit="chars", overlap=0), [document])) > 20_000
    assert time.process_time() - made < max(6, made - started)
