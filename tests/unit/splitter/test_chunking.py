"""From spans to chunks, and rows of chunks."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from ragbench.corpus.loader import make_document
from ragbench.corpus.parsed import Parsed
from ragbench.errors import DataError
from ragbench.records.document import Document, Span
from ragbench.splitter.base import Splitter
from ragbench.splitter.chunking import chunk_corpus, chunks_from_rows, chunks_to_rows, heading_trails
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
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


def test_trail_closes_deeper_and_equal_headings():
    document = make("## a\n\n# b\n\n### c\n\n## d\n\n## e")
    assert heading_trails(document.outline) == [(), ("a",), ("b",), ("b", "c"), ("b", "d"), ("b", "e")]


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


def test_a_hundred_thousand_chunks_take_seconds():
    documents = [make(f"# {n}\n\n" + "长句子。" * 250) for n in range(100)]
    started = time.process_time()
    chunks = chunk_corpus(FixedSplitter(chunk_size=1, chunk_unit="chars", overlap=0), documents)
    assert len(chunks) > 100_000
    assert time.process_time() - started < 6
