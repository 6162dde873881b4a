"""Whole sentences up to a size."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragbench.records.document import Document, Span
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.packing import Limits
from ragbench.splitter.sentence_pieces import Piece, sentence_pieces


@dataclass(frozen=True, kw_only=True)
class SentenceSplitter(MergingSplitter):
    """Whole sentences, Chinese and English, packed up to `chunk_size` (None: 512 tokens); no word is ever cut.

    Headings, list items and table rows count as sentences; of a code fence longer than `chunk_size` the lines do. A
    longer sentence is cut at commas, where that is not enough at line breaks, then between words (Han: those of
    jieba's dictionary), and only a word longer than `chunk_size` anywhere. A chunk begins with the whole sentences at
    the end of the one before it that fit into `overlap`. A heading does not end a chunk that holds anything else,
    and a last chunk shorter than `min_size` takes sentences from the one before.
    """

    DEFAULT_SIZE: ClassVar[int] = 512
    LIBRARIES: ClassVar[tuple[str, ...]] = ("jieba",)

    @property
    def unit(self) -> str:
        """The resolved unit."""
        return self.chunk_unit or "tokens"

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        ruler = Ruler(document.text, self.unit)
        pieces = sentence_pieces(document.text, ruler, self.size)
        return _Packer(pieces, ruler, Limits(self.size, self._overlap(), self.smallest)).spans()


class _Packer:
    """Puts pieces together; a run of pieces is `[first, last]` by number."""

    def __init__(self, pieces: Iterable[Piece], ruler: Ruler, limits: Limits) -> None:
        self.limits = limits
        # Columns of numbers: objects by the hundred thousand are walked by the collector again and again.
        self._starts, self._ends = array("q"), array("q")
        self._whole, self._heading = bytearray(), bytearray()
        for start, end, whole, heading in pieces:
            self._starts.append(start)
            self._ends.append(end)
            self._whole.append(whole)
            self._heading.append(heading)
        self._before = _measured(ruler, self._starts)
        self._after = _measured(ruler, self._ends)

    def spans(self) -> list[Span]:
        runs: list[tuple[int, int]] = []
        fresh = 0
        while fresh < len(self._starts):
            first = self._first(runs[-1][0], fresh) if runs else fresh
            last = self._last(first, fresh)
            runs.append((first, last))
            fresh = last + 1
        return [self._span(first, last) for first, last in self._without_short_tail(runs)]

    def _length(self, first: int, last: int) -> int:
        return self._after[last] - self._before[first]

    def _first(self, previous: int, fresh: int) -> int:
        """The first of the whole sentences before `fresh` that fit into the overlap, and into the size beside it."""
        first = fresh
        for candidate in range(fresh - 1, previous, -1):
            too_long = self._length(candidate, fresh - 1) > self.limits.overlap
            if too_long or self._length(candidate, fresh) > self.limits.size or not self._whole[candidate]:
                break
            first = candidate
        return first

    def _last(self, first: int, fresh: int) -> int:
        """The last piece that still fits; not a heading where another piece can be the last."""
        last = fresh
        while last + 1 < len(self._starts) and self._length(first, last + 1) <= self.limits.size:
            last += 1
        if last + 1 == len(self._starts):
            return last
        shorter = last
        while shorter > fresh and self._heading[shorter]:
            shorter -= 1
        return last if self._heading[shorter] else shorter

    def _without_short_tail(self, runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Let a last run that is too short begin earlier, where the one before it stays long enough."""
        if len(runs) < 2 or self._length(*runs[-1]) >= self.limits.smallest:
            return runs
        (before, _), (first, last) = runs[-2:]
        # The run before keeps a piece that the one before that does not hold.
        least = max(before, runs[-3][1] + 1 if len(runs) > 2 else 0) + 1
        while first > least and self._length(first, last) < self.limits.smallest:
            first -= 1
        fits = self._length(first, last) <= self.limits.size
        if first < least or not fits or self._length(before, first - 1) < self.limits.smallest:
            return runs
        return [*runs[:-2], (before, first - 1), (first, last)]

    def _span(self, first: int, last: int) -> Span:
        longer = self._length(first, last) > self.limits.size
        return Span(self._starts[first], self._ends[last], ("atomic",) if longer else ())


def _measured(ruler: Ruler, offsets: array[int]) -> array[int]:
    """Units before each of ascending offsets."""
    return array("q", ruler.units_before_all(np.frombuffer(offsets, dtype=np.int64)).tobytes() if offsets else b"")
