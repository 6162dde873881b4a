"""Rules of `cascade` on every kind of document."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.corpus.loader import make_document
from ragbench.corpus.parsed import whole
from ragbench.corpus.structure import structure
from ragbench.splitter.cascade import CascadeSplitter
from ragbench.splitter.length import Ruler
from ragbench.testing.splitter_contract import assert_spans, documents

KINDS = ("md", "html", "docx", "pdf", "text", "json", "csv", "code")
UNITS = (
    "第一条　员工年假为五天。\n\n第二条　加班须事先审批，\n（一）书面；\n（二）当日。\n\n第三条　附则。",
    "Article 1 Scope. It holds for all.\n\nArticle 2 Terms. “Day” is a working day; see Article 1.\n\n",
    "问：年假有几天？\n答：五天。\n\n问：要审批吗？\n答：要。\n",
    "Q: How many days?\nA: Five.\n\nQ: Who agrees?\nA: HR does.\n",
)


def splitter(size, overlap=0, unit="chars"):
    return CascadeSplitter(chunk_size=size, overlap=overlap, chunk_unit=unit, min_size=None, max_atomic=None)


def of_kind(document, kind, units):
    text = "\n\n".join([document.text, *units])
    return make_document(f"a.{kind}", whole(text, kind, structured=kind in KINDS[:3]))


@settings(max_examples=150, deadline=None)
@given(
    st.builds(of_kind, documents(), st.sampled_from(KINDS), st.lists(st.sampled_from(UNITS), max_size=3)),
    st.integers(8, 200),
    st.data(),
)
def test_every_kind_is_covered_and_sizes_are_told(document, size, data):
    unit = data.draw(st.sampled_from(("chars", "words")))
    spans = splitter(size, data.draw(st.integers(0, size - 1)), unit).spans(document)
    assert_spans(document, spans)
    ruler = Ruler(document.text, unit)
    for span in spans:
        assert ("atomic" in span.flags) == (ruler.length(span.start, span.end) > size)


@settings(max_examples=100, deadline=None)
@given(documents(), st.integers(40, 300))
def test_a_fence_or_table_that_fits_is_never_cut(document, size):
    if document.doc_type != "md":
        return
    spans = splitter(size).spans(document)
    for block in structure(document.text).blocks:
        piece = document.text[block.start : block.end].rstrip()
        if block.kind != "heading" and len(piece) + 1 <= size:
            end = block.start + len(piece)
            assert sum(span.start < end and span.end > block.start for span in spans) == 1, piece
