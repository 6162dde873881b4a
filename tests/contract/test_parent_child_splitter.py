"""The splitter contract on children inside parents."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.records.document import Document
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.parent_child import ParentChildSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import SplitterContract, documents


def make(size=None, overlap=None, parent=None, parent_overlap=None, unit="chars"):
    return ParentChildSplitter(
        parents=RecursiveSplitter(chunk_size=parent, chunk_unit=unit, overlap=parent_overlap, min_size=None),
        children=RecursiveSplitter(chunk_size=size, chunk_unit=unit, overlap=overlap, min_size=None),
    )


class TestSmallOverMarkdown(SplitterContract):
    def make(self):
        knobs = {"chunk_unit": "chars", "min_size": None}
        return ParentChildSplitter(
            parents=MarkdownSplitter(chunk_size=120, overlap=0, max_atomic=None, **knobs),
            children=FixedSplitter(chunk_size=30, overlap=7, chunk_unit="chars"),
        )


@settings(max_examples=60, deadline=None)
@given(document=documents(), data=st.data())
def test_children_lie_in_parents_that_cover_the_text(document: Document, data: st.DataObject) -> None:
    parent = data.draw(st.integers(2, 200))
    splitter = make(data.draw(st.integers(1, parent - 1)), 0, parent, data.draw(st.integers(0, parent - 1)))
    spans = splitter.spans(document)
    assert all(span.parent and span.parent[0] <= span.start < span.end <= span.parent[1] for span in spans)
    parents = list(dict.fromkeys(span.parent for span in spans))
    expected = splitter.parents.spans(document)
    assert parents == [(span.start, span.end) for span in expected]
    assert all(before.end <= after.start for before, after in pairwise(spans)), "no child stands twice"
    assert [replace(span, parent=None) for span in spans] == sorted(
        (replace(span, parent=None) for span in spans), key=lambda span: span.start
    )
