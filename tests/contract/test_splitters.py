"""The splitter contract on every splitter, and on fakes that each break one rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from ragbench.records.document import Document, Span
from ragbench.splitter.base import Splitter
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.knobs import SizedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.splitter.whole import WholeSplitter
from ragbench.testing.splitter_contract import SizedSplitterContract, SplitterContract


class TestWhole(SplitterContract):
    def make(self) -> Splitter:
        return WholeSplitter()


class TestFixed(SizedSplitterContract):
    def make_sized(self, chunk_size, overlap, chunk_unit):
        return FixedSplitter(chunk_size=chunk_size, overlap=overlap, chunk_unit=chunk_unit)


class TestRecursive(SizedSplitterContract):
    def make_sized(self, chunk_size, overlap, chunk_unit):
        return RecursiveSplitter(chunk_size=chunk_size, overlap=overlap, chunk_unit=chunk_unit, min_size=None)


class TestMarkdown(SizedSplitterContract):
    def make_sized(self, chunk_size, overlap, chunk_unit):
        return MarkdownSplitter(
            chunk_size=chunk_size, overlap=overlap, chunk_unit=chunk_unit, min_size=None, max_atomic=None
        )


@dataclass(frozen=True, kw_only=True)
class StripsBeforeCounting(SizedSplitter):
    """Offsets of the stripped lines, not of the text."""

    def spans(self, document: Document) -> list[Span]:
        spans, position = [], 0
        for line in document.text.split("\n"):
            if line.strip():
                spans.append(Span(position, position + len(line.strip())))
                position += len(line.strip())
        return spans


@dataclass(frozen=True, kw_only=True)
class ForgetsTheTail(SizedSplitter):
    """Only whole windows."""

    def spans(self, document: Document) -> list[Span]:
        spans = FixedSplitter(chunk_size=self.size, overlap=0, chunk_unit="chars").spans(document)
        return [span for span in spans if span.end - span.start == self.size]


@dataclass(frozen=True, kw_only=True)
class NeedsBlanks(SizedSplitter):
    """Cuts at spaces only, so that Chinese is one chunk."""

    def spans(self, document: Document) -> list[Span]:
        spans, start, text = [], 0, document.text
        for end in [i for i, char in enumerate(text) if char == " "] + [len(text)]:
            if end - start >= self.size or end == len(text):
                spans.append(Span(start, end))
                start = end
        return [span for span in spans if text[span.start : span.end].strip()]


@dataclass(frozen=True, kw_only=True)
class FlagsEverything(SizedSplitter):
    """Calls every span atomic."""

    def spans(self, document: Document) -> list[Span]:
        inner = FixedSplitter(chunk_size=self.size, overlap=0, chunk_unit="chars").spans(document)
        return [replace(span, flags=("atomic",)) for span in inner]


@pytest.mark.parametrize(
    ("fake", "rule"),
    [
        (StripsBeforeCounting, "test_covers_the_text_in_order"),
        (ForgetsTheTail, "test_covers_the_text_in_order"),
        (NeedsBlanks, "test_respects_the_size_or_says_so"),
        (FlagsEverything, "test_respects_the_size_or_says_so"),
    ],
)
def test_the_contract_catches_broken_splitters(fake, rule):
    class Broken(SizedSplitterContract):
        units = ("chars",)

        def make(self):
            return self.make_sized(30, 0, "chars")

        def make_sized(self, chunk_size, overlap, chunk_unit):
            return fake(chunk_size=chunk_size, overlap=0, chunk_unit=chunk_unit)

    with pytest.raises((AssertionError, BaseExceptionGroup)):
        getattr(Broken(), rule)()


@pytest.mark.parametrize("rule", ["test_text_without_blanks_or_lines_is_capped"])
def test_the_contract_catches_one_giant_chunk(rule):
    class Broken(SizedSplitterContract):
        def make_sized(self, chunk_size, overlap, chunk_unit):
            return NeedsBlanks(chunk_size=chunk_size, overlap=0, chunk_unit=chunk_unit)

    with pytest.raises(AssertionError):
        getattr(Broken(), rule)("长" * 20_000)
