"""One chunk a document."""

from __future__ import annotations

import pytest

from ragbench.records.document import Span
from ragbench.splitter.whole import WholeSplitter
from ragbench.testing.splitter_contract import make


@pytest.mark.parametrize(
    "text", ["年假五天。\n\n病假。", "Two\n\nparagraphs", "混合 mixed\n文"], ids=["zh", "en", "mixed"]
)
def test_one_span(text):
    assert WholeSplitter().spans(make(text)) == [Span(0, len(text))]


def test_blank_document():
    assert WholeSplitter().spans(make(" \n ")) == []
