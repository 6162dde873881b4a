"""Rules of `dialogue` on conversations."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.splitter.dialogue import DialogueSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.sections import sections
from ragbench.splitter.turn_marks import turn_marks
from ragbench.testing.splitter_contract import FRAGMENTS, assert_spans, make

FORMS = (
    "{who}: {text}",
    "{who}：{text}",
    "[10:02] {who}: {text}",
    "2024-03-01 10:02 {who}\n{text}",
    "{who} (10:02)\n{text}",
)
BETWEEN = ("## 次日\n\n", "=== 2024-11-19\n", "plain text.\n\n", "", "", "", "")


def conversations():
    """Turns of two or three speakers in one form, with arbitrary text in them and headings or day lines between."""
    said = st.one_of(st.sampled_from(FRAGMENTS), st.just("好的！"), st.text(max_size=20))

    def document(form, parts, kind):
        pieces = [f"{gap}{form.format(who=who, text=text)}\n" for gap, who, text in parts]
        return make("".join(pieces), kind)

    parts = st.lists(st.tuples(st.sampled_from(BETWEEN), st.sampled_from(("Li", "小王", "Max M")), said), max_size=14)
    return st.builds(document, st.sampled_from(FORMS), parts, st.sampled_from(("md", "text")))


@settings(max_examples=150, deadline=None)
@given(
    document=conversations(),
    size=st.integers(4, 120),
    turns=st.integers(1, 7),
    data=st.data(),
    most=st.one_of(st.none(), st.integers(1, 120)),
)
def test_conversations(document, size, turns, data, most):
    repeated = data.draw(st.integers(0, turns - 1))
    splitter = DialogueSplitter(
        chunk_size=size, overlap=0, chunk_unit="chars", min_size=0, turns=turns, overlap_turns=repeated, max_turn=most
    )  # fmt: skip
    spans = splitter.spans(document)
    assert_spans(document, spans)
    ruler = Ruler(document.text, "chars")
    marks = [mark for mark in turn_marks(document) if mark.unit]
    for span in spans:
        longer = ruler.length(span.start, span.end) > size
        assert longer == ("atomic" in span.flags)
        opened = [mark for mark in marks if span.start <= mark.start < span.end]
        assert len(opened) <= turns
        assert not longer or opened, "only turns are longer than the size"
    for part in sections(document.text, turn_marks(document)):
        for cut in (cut for span in spans for cut in (span.start, span.end) if part.start < cut < part.end):
            before, after = document.text[part.start : cut], document.text[cut : part.end]
            assert not part.unit or most is not None or not (before.strip() and after.strip()), "a turn is cut"
