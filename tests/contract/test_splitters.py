"""The splitter contract on fakes that each break one rule; `test_every_splitter` has the splitters themselves."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace

import pytest

from ragbench.records.document import Document, Span
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.knobs import SizedSplitter
from ragbench.testing.splitter_contract import SizedSplitterContract
from ragbench.testing.splitter_texts import DOC_TYPES, TEXTS


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


def windows(document: Document, size: int) -> list[Span]:
    """What an honest splitter gives."""
    return FixedSplitter(chunk_size=size, overlap=0, chunk_unit="chars").spans(document)


@dataclass(frozen=True, kw_only=True)
class CountsBytes(SizedSplitter):
    """Offsets in UTF-8, right for English only."""

    def spans(self, document: Document) -> list[Span]:
        def at(offset: int) -> int:
            return len(document.text[:offset].encode())

        return [Span(at(span.start), at(span.end)) for span in windows(document, self.size)]


@dataclass(frozen=True, kw_only=True)
class CountsFolded(SizedSplitter):
    """Offsets in the text with combining marks put together."""

    def spans(self, document: Document) -> list[Span]:
        text = "".join(char for char in document.text if not unicodedata.combining(char))
        return windows(replace(document, text=text), self.size)


@dataclass(frozen=True, kw_only=True)
class DropsSingleCharacters(SizedSplitter):
    """Takes what is one character long for noise."""

    def spans(self, document: Document) -> list[Span]:
        return [span for span in windows(document, self.size) if span.end - span.start > 1]


@dataclass(frozen=True, kw_only=True)
class KnowsProseOnly(SizedSplitter):
    """Gives nothing for tables and data."""

    def spans(self, document: Document) -> list[Span]:
        return windows(document, self.size) if document.doc_type in ("md", "text") else []


@dataclass(frozen=True, kw_only=True)
class NeverFlags(SizedSplitter):
    """Cuts source by functions, however long, and does not say so."""

    def spans(self, document: Document) -> list[Span]:
        if document.doc_type != "code":
            return windows(document, self.size)
        return [Span(0, len(document.text))] if document.text.strip() else []


@dataclass(frozen=True, kw_only=True)
class OddFlags(SizedSplitter):
    """Flags of its own."""

    def spans(self, document: Document) -> list[Span]:
        return [replace(span, flags=("odd",)) for span in windows(document, self.size)]


@dataclass(frozen=True, kw_only=True)
class Remembers(SizedSplitter):
    """Cuts by what it has seen before."""

    seen: list[int] = field(default_factory=list, compare=False)

    def spans(self, document: Document) -> list[Span]:
        self.seen.append(len(document.text))
        return windows(document, self.size - len(self.seen) % 2)


@dataclass(frozen=True, kw_only=True)
class ReadsFromTheTop(SizedSplitter):
    """Looks at all of the text for each of its chunks."""

    def spans(self, document: Document) -> list[Span]:
        text = document.text
        return [span for span in windows(document, self.size) if sum(map(text.count, "年假天abcdefghijklmnopq")) >= 0]


@dataclass(frozen=True, kw_only=True)
class ShortensParents(SizedSplitter):
    """Parents that end before their children."""

    has_parents = True

    def spans(self, document: Document) -> list[Span]:
        return [replace(span, parent=(span.start, span.end - 1)) for span in windows(document, self.size)]


@dataclass(frozen=True, kw_only=True)
class ForgetsParents(ShortensParents):
    """Parents at some children only."""

    def spans(self, document: Document) -> list[Span]:
        spans = windows(document, self.size)
        return [replace(span, parent=(span.start, span.end)) if number else span for number, span in enumerate(spans)]


@dataclass(frozen=True, kw_only=True)
class UnannouncedParents(SizedSplitter):
    """Parents that `has_parents` does not tell of."""

    def spans(self, document: Document) -> list[Span]:
        return [replace(span, parent=(span.start, span.end)) for span in windows(document, self.size)]


@dataclass(frozen=True, kw_only=True)
class TokenGaps(SizedSplitter):
    """Drops the characters that the tokeniser does not see, in tokens only."""

    def spans(self, document: Document) -> list[Span]:
        size = 1 if self.unit == "tokens" else self.size
        return [span for span in windows(document, size) if document.text[span.start] not in "👍\ufffd"]


@dataclass(frozen=True, kw_only=True)
class Honest(SizedSplitter):
    """Breaks no rule."""

    def spans(self, document: Document) -> list[Span]:
        return windows(document, self.size)


def broken(fake: type[SizedSplitter]) -> SizedSplitterContract:
    """The contract on a fake."""

    class Broken(SizedSplitterContract):
        units = ("chars",)
        lengths = (10_000, 50_000)
        short_lengths = (20_000, 100_000)

        def make(self):
            return self.make_sized(30, 0, "chars")

        def make_quick(self):
            return self.make()

        def make_sized(self, chunk_size, overlap, chunk_unit):
            return fake(chunk_size=chunk_size, overlap=0, chunk_unit=chunk_unit)

    return Broken()


@pytest.mark.parametrize(
    ("fake", "rule", "arguments"),
    [
        (StripsBeforeCounting, "test_covers_the_text_in_order", ()),
        (ForgetsTheTail, "test_covers_the_text_in_order", ()),
        (NeedsBlanks, "test_respects_the_size_or_says_so", ()),
        (FlagsEverything, "test_respects_the_size_or_says_so", ()),
        (FlagsEverything, "test_documents_of_every_type_tell_their_size", ("docx",)),
        (NeverFlags, "test_documents_of_every_type_tell_their_size", ("code",)),
        (NeedsBlanks, "test_text_without_blanks_or_lines_is_capped", ("长" * 20_000,)),
        (CountsBytes, "test_texts_of_every_kind", ("zh",)),
        (CountsBytes, "test_texts_of_every_kind", ("mixed",)),
        (CountsBytes, "test_texts_of_every_kind", ("emoji",)),
        (CountsBytes, "test_texts_of_every_kind", ("full-width",)),
        (CountsFolded, "test_texts_of_every_kind", ("combining marks",)),
        (StripsBeforeCounting, "test_texts_of_every_kind", ("code",)),
        (ForgetsTheTail, "test_texts_of_every_kind", ("tables",)),
        (NeedsBlanks, "test_texts_of_every_kind_in_every_unit", ("no blanks", "chars")),
        (TokenGaps, "test_texts_of_every_kind_in_every_unit", ("emoji", "tokens")),
        (DropsSingleCharacters, "test_tiny_documents", ("x",)),
        *(
            (KnowsProseOnly, "test_documents_of_every_type", (kind,))
            for kind in DOC_TYPES
            if kind not in ("md", "text")
        ),
        (OddFlags, "test_covers_the_text_in_order", ()),
        (Remembers, "test_same_input_same_spans_whatever_came_between", ()),
        (ShortensParents, "test_documents_of_every_type", ("pdf",)),
        (ForgetsParents, "test_texts_of_every_kind", ("en",)),
        (UnannouncedParents, "test_texts_of_every_kind", ("en",)),
        (ReadsFromTheTop, "test_time_grows_with_the_text_up_to_five_million_characters", ("zh",)),
        *(
            (ReadsFromTheTop, "test_time_grows_with_text_that_is_no_prose", (kind,))
            for kind in ("tables", "combining marks")
        ),
    ],
)
def test_the_contract_catches_broken_splitters(fake, rule, arguments):
    with pytest.raises((AssertionError, BaseExceptionGroup)):
        getattr(broken(fake), rule)(*arguments)


@pytest.mark.parametrize("kind", TEXTS)
def test_the_rules_let_an_honest_splitter_pass(kind):
    held = broken(Honest)
    held.test_texts_of_every_kind(kind)
    held.test_texts_of_every_kind_in_every_unit(kind, "chars")


@pytest.mark.parametrize("kind", ["zh", "en", "mixed", "no blanks"])
def test_the_rules_of_growth_let_an_honest_splitter_pass(kind):
    broken(Honest).test_time_grows_with_the_text_up_to_five_million_characters(kind)


@pytest.mark.parametrize("kind", ["code", "tables", "emoji", "combining marks"])
def test_the_rules_of_growth_without_prose_let_an_honest_splitter_pass(kind):
    broken(Honest).test_time_grows_with_text_that_is_no_prose(kind)


def test_the_rule_of_order_lets_an_honest_splitter_pass():
    broken(Honest).test_same_input_same_spans_whatever_came_between()
