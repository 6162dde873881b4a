"""The part of the splitter contract that says how the time grows with the text."""

# ruff: noqa: D102

from __future__ import annotations

from functools import partial

import pytest

from ragbench.records.document import Document, Span
from ragbench.splitter.base import EmbedderOpener, Splitter
from ragbench.testing.splitter_checks import assert_growth
from ragbench.testing.splitter_texts import TEXTS, long_text, make


class SplitterGrowth:
    """Time grows in proportion: five times the text takes at most six times as long.

    `lengths` are characters, `short_lengths` those of what is no prose. Chinese is cut with the splitter's defaults,
    the others without a tokeniser.
    """

    opener: EmbedderOpener | None = None
    lengths = (1_000_000, 5_000_000)
    short_lengths = (200_000, 1_000_000)
    most_growth = 6.0

    def make(self) -> Splitter:
        """The splitter with its defaults."""
        raise NotImplementedError

    def make_quick(self) -> Splitter:
        """The same without a tokeniser, whose time is its own matter."""
        return self.make()

    def cut(self, splitter: Splitter, document: Document) -> list[Span]:
        """The splitter's spans, as a run has them."""
        return splitter.open(self.opener)(document)

    @pytest.mark.slow
    @pytest.mark.large
    @pytest.mark.parametrize("kind", ["zh", "en", "mixed", "no blanks"])
    def test_time_grows_with_the_text_up_to_five_million_characters(self, kind: str) -> None:
        splitter = self.make() if kind == "zh" else self.make_quick()
        self._assert_growth(splitter, kind, "text", self.lengths)

    @pytest.mark.slow
    @pytest.mark.large
    @pytest.mark.parametrize("kind", ["code", "tables", "emoji", "combining marks"])
    def test_time_grows_with_text_that_is_no_prose(self, kind: str) -> None:
        self._assert_growth(self.make_quick(), kind, "md", self.short_lengths)

    def _assert_growth(self, splitter: Splitter, kind: str, doc_type: str, lengths: tuple[int, int]) -> None:
        documents = [make(long_text(TEXTS[kind], length), doc_type) for length in lengths]
        assert_growth(partial(self.cut, splitter), documents, self.most_growth)
