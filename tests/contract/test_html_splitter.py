"""Rules of `html` on pages."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.corpus.loader import make_document
from ragbench.corpus.parsed import whole
from ragbench.splitter.html import HtmlSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.testing.splitter_contract import assert_spans, documents, has_uncuttable


def page(document):
    return make_document("a.html", whole(document.text, "html", structured=True))


@settings(max_examples=60, deadline=None)
@given(documents().map(page), st.integers(8, 120), st.data())
def test_pages_are_split_as_markdown_is(document, size, data):
    knobs = {"chunk_size": size, "chunk_unit": "chars", "min_size": None, "max_atomic": None}
    knobs["overlap"] = data.draw(st.integers(0, size - 1))
    spans = HtmlSplitter(**knobs).spans(document)
    assert spans == MarkdownSplitter(**knobs).spans(document)
    assert_spans(document, spans)
    ruler = Ruler(document.text, "chars")
    for span in spans:
        longer = ruler.length(span.start, span.end) > size
        assert longer == ("atomic" in span.flags)
        assert not longer or has_uncuttable(document.text, span.start, span.end)
