"""Rules of `code` on source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.corpus.load_code import load_code
from ragbench.corpus.loader import make_document
from ragbench.measure.case import DocumentCase
from ragbench.measure.chunks.metadata import metadata_correct
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.code import CodeSplitter
from ragbench.splitter.length import Ruler
from ragbench.testing.splitter_contract import assert_spans

PIECES = (
    "import os\n",
    "NUMBERS = [1, 2, 3]  # 数\n",
    "\n",
    "# 说明 what follows\n",
    "@decorated\n",
    "def f(a, b=1):\n    return a + b\n",
    "def 计算(x):\n    '''文档。Doc.'''\n    y = x\n\n    return y\n",
    "class A:\n    '''类。'''\n    x = 1\n\n    def m(self):\n        return 1\n\n    # n\n    def n(self): pass\n",
    "class B(A):\n    class C:\n        def deep(self):\n            return [1,\n                    2]\n\n    z = '👩‍👩‍👧‍👦'\n",
    "def long():\n" + "    call('with an argument')\n" * 12,
    "if True:\n    def g(): pass\nelse:\n    h = 2\n",
    "'''text between\ntwo definitions'''\n",
    "x = '" + "长" * 90 + "'\n",
)


def sources():
    return st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def source(text):
    return make_document("a.py", load_code(text.encode(), "python"))


def splitter(size, overlap=0, unit="chars", most=None):
    return CodeSplitter(chunk_size=size, overlap=overlap, chunk_unit=unit, min_size=None, max_atomic=most)


@settings(max_examples=150, deadline=None)
@given(sources(), st.integers(8, 200), st.data())
def test_source_is_covered_in_order_and_sizes_are_told(text, size, data):
    document = source(text)
    unit = data.draw(st.sampled_from(("chars", "words")))
    spans = splitter(size, data.draw(st.integers(0, size - 1)), unit, size + 40).spans(document)
    assert_spans(document, spans)
    ruler = Ruler(document.text, unit)
    for span in spans:
        assert ("atomic" in span.flags) == (ruler.length(span.start, span.end) > size)


@settings(max_examples=150, deadline=None)
@given(sources(), st.integers(20, 200))
def test_trails_of_source_are_those_of_the_first_line(text, size):
    document = source(text)
    chunks = chunk_corpus(splitter(size), [document])
    assert not chunks or metadata_correct(DocumentCase(document, chunks)).value == 1
    for chunk in chunks:
        first = chunk.start + len(chunk.text) - len(chunk.text.lstrip())
        trail = []
        for heading in document.outline:
            if heading.start <= first:
                trail = [one for one in trail if one.level < heading.level] + [heading] * bool(heading.title)
        assert chunk.headings == tuple(one.title for one in trail)


@settings(max_examples=150, deadline=None)
@given(sources(), st.integers(20, 120))
def test_no_function_that_fits_is_ever_cut(text, size):
    document = source(text)
    spans = splitter(size, most=400).spans(document)
    outline = [*document.outline]
    for number, heading in enumerate(outline):
        later = (one.start for one in outline[number + 1 :] if one.level <= heading.level)
        end = next(later, len(document.text))
        holds = any(one.start < end for one in outline[number + 1 :])
        whole = document.text[heading.start : end].rstrip()
        if heading.title and len(whole) <= (size if holds else 400):
            held = [span for span in spans if span.start < heading.start + len(whole) and span.end > heading.start]
            assert len(held) == 1, f"{whole!r} lies in {held}"


@pytest.mark.parametrize(
    "piece",
    [
        "def f(): pass\n",
        "class A:\n    x = 1\n    def m(self): pass\n",
        "x = 1\n",
        "# c\n",
        "def f():\n" + " x\n" * 999,
    ],
)
def test_time_is_linear_in_source(piece):
    import time

    document = source(piece * (300_000 // len(piece)))
    started = time.process_time()
    for size in (40, 400, 4000):
        assert_spans(document, splitter(size, most=5000).spans(document))
    assert time.process_time() - started < 10
