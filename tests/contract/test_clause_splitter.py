"""Rules of `clause` on documents of clauses."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.splitter.clause import ClauseSplitter
from ragbench.splitter.clause_marks import clause_marks
from ragbench.splitter.length import Ruler
from ragbench.testing.splitter_contract import FRAGMENTS, assert_spans, make

OPENINGS = (
    "第{zh}条 ", "**第{zh}条** ", "### 第{zh}条\n\n", "第{n}条", "### Article {n} Title\n\n", "Section {n}. The ", "§ {n} A ",
    "1.{n} ", "{n}.1 ",
)  # fmt: skip
NUMERALS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
CHAPTERS = ("## 第一章 总则\n\n", "第二节 其他\n", "PART II\n\n", "附则\n", "---\n\n", "")


def clause_documents():
    """Clauses numbered from 1 with arbitrary text between and behind them."""
    body = st.one_of(st.sampled_from(FRAGMENTS), st.just("依照第二条规定办理。"), st.text(max_size=20))

    def document(opening, parts, kind):
        pieces = ["前言 preamble\n\n"]
        for index, (chapter, text) in enumerate(parts):
            pieces.append(f"{chapter}{opening.format(zh=NUMERALS[index], n=index + 1)}{text}\n\n")
        return make("".join(pieces), kind)

    parts = st.lists(st.tuples(st.sampled_from(CHAPTERS), body), max_size=12)
    return st.builds(document, st.sampled_from(OPENINGS), parts, st.sampled_from(("md", "text")))


@settings(max_examples=150, deadline=None)
@given(document=clause_documents(), size=st.integers(4, 120), most=st.one_of(st.none(), st.integers(1, 120)))
def test_documents_of_clauses(document, size, most):
    splitter = ClauseSplitter(chunk_size=size, overlap=size // 4, chunk_unit="chars", min_size=None, max_clause=most)
    spans = splitter.spans(document)
    assert_spans(document, spans)
    ruler = Ruler(document.text, "chars")
    marks = [mark for mark in clause_marks(document) if mark.unit]
    for span in spans:
        longer = ruler.length(span.start, span.end) > size
        assert longer == ("atomic" in span.flags)
        opened = [mark for mark in marks if span.start <= mark.start < span.end]
        assert len(opened) <= 1, "one clause a chunk"
        assert not longer or opened, "only a clause is longer than the size"
        assert not longer or most is None or span.end - span.start <= most
