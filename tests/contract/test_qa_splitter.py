"""Rules of `qa` on lists of questions and answers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.splitter.length import Ruler
from ragbench.splitter.qa import QaSplitter
from ragbench.splitter.qa_marks import qa_marks
from ragbench.testing.splitter_contract import FRAGMENTS, assert_spans, make

QUESTIONS = (
    "Q: why {n}?\nA: ", "**问：{n} 怎么办？**\n答：", "**Why {n}?** ", "## Why {n}?\n\n", "{n}. 怎么办？\n", "Why {n}?\n\n", "Q{n}. why\n",
)  # fmt: skip
BETWEEN = ("# Part\n\n", "## 分类\n\n", "---\n\n", "plain text.\n\n", "", "")


def question_lists():
    """Questions of one or two kinds with arbitrary answers and headings, rules or text between them."""
    answer = st.one_of(st.sampled_from(FRAGMENTS), st.just(""), st.text(max_size=20))

    def document(parts, kind):
        pieces = [f"{gap}{question.format(n=n)}{text}\n\n" for n, (gap, question, text) in enumerate(parts)]
        return make("".join(pieces), kind)

    kinds = st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=2)
    parts = kinds.flatmap(
        lambda kinds: st.lists(st.tuples(st.sampled_from(BETWEEN), st.sampled_from(kinds), answer), max_size=10)
    )
    return st.builds(document, parts, st.sampled_from(("md", "text")))


@settings(max_examples=150, deadline=None)
@given(document=question_lists(), size=st.integers(4, 120), most=st.one_of(st.none(), st.integers(1, 120)))
def test_lists_of_questions(document, size, most):
    splitter = QaSplitter(chunk_size=size, overlap=size // 4, chunk_unit="chars", min_size=None, max_pair=most)
    spans = splitter.spans(document)
    assert_spans(document, spans)
    ruler = Ruler(document.text, "chars")
    marks = [mark for mark in qa_marks(document) if mark.unit]
    for span in spans:
        longer = ruler.length(span.start, span.end) > size
        assert longer == ("atomic" in span.flags)
        opened = [mark for mark in marks if span.start <= mark.start < span.end]
        assert len(opened) <= 1, "one pair a chunk"
        assert not longer or opened, "only a pair is longer than the size"
        assert not longer or most is None or span.end - span.start <= most
