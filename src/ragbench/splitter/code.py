"""Source code by its definitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Self

from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.code_units import units
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.levels import BLANK_LINE, NEVER, Levels, cut_levels
from ragbench.splitter.packing import Limits, pack
from ragbench.splitter.trim import drop_blanks

_LONGEST_CHARS = 1200


@dataclass(frozen=True, kw_only=True)
class CodeSplitter(MergingSplitter):
    """Top-level classes and functions of source code (the outline of its document); small neighbours are merged up to
    `chunk_size`.

    A class longer than `chunk_size` goes by its members, the smaller of which are merged too; the text before the first
    member opens the first chunk. A function longer than `chunk_size` stays whole and is flagged `atomic`, but one
    longer than `max_atomic` is cut as by `recursive`. Decorators, docstrings and comments directly above stay with
    their definition; imports and other text between definitions are kept and cut as by `recursive` where they are
    long. Other documents, and code without an outline, are cut as by `recursive`.

    `max_atomic` None: 1200 characters; in words and tokens the `chunk_size`, since more fills an embedder's window.

    Raises:
        ConfigError: a value of the wrong kind, or `max_atomic` below `chunk_size`.
    """

    STRUCTURAL: ClassVar[bool] = True

    max_atomic: int | None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        value = self.max_atomic
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < self.size):
            expected = f"a whole number of at least chunk_size ({self.size}), or null"
            raise ConfigError("pipeline.splitter.max_atomic", expected=expected, found=repr(value))

    @property
    def longest(self) -> int:
        """The resolved `max_atomic`."""
        if self.max_atomic is not None:
            return self.max_atomic
        return max(self.size, _LONGEST_CHARS) if self.unit == "chars" else self.size

    def resolved(self) -> Self:
        """The same splitter with every knob a number or a name."""
        return replace(super().resolved(), max_atomic=self.longest)

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        text = document.text
        ruler = Ruler(text, self.unit)
        levels = cut_levels(text)
        borders = [0, len(text)]
        if document.doc_type == "code":
            ruled = _Ruled(text, ruler)
            pieces = list(self._pieces(document, ruled))
            _protect(levels, pieces)
            borders = [*_borders(pieces, ruled, self.smallest), len(text)]
        spans = pack(text, levels, ruler, Limits(self.size, self._overlap(), self.smallest), borders)
        return [_indented(text, span) if span.flags else span for span in spans]

    def _pieces(self, document: Document, ruled: _Ruled) -> Iterator[_Piece]:
        """The units that are packed: whole definitions, and what is cut at will."""
        outline, size, longest = units(document), self.size, self.longest
        position = 0
        while position < len(outline):
            unit = outline[position]
            length = ruled.length(unit.start, unit.end)
            opens = unit.named and unit.following > position + 1 and length > size
            if opens:
                head = outline[position + 1].start
                alone = ruled.length(unit.start, head) > size
                yield _Piece(unit.start, head, unit.level, opens=True, alone=alone)
                position += 1
                continue
            whole = unit.named and length <= longest
            yield _Piece(unit.start, unit.end, unit.level, whole=whole, alone=not whole and length > size)
            position = unit.following


@dataclass(frozen=True, slots=True)
class _Piece:
    """`[start, end)`; `opens`: the head of a class whose members follow one by one; `alone`: not merged."""

    start: int
    end: int
    level: int
    whole: bool = False
    opens: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Ruled:
    text: str
    ruler: Ruler

    def length(self, start: int, end: int) -> int:
        """Units without the blanks at the end."""
        return self.ruler.length(start, drop_blanks(self.text, start, end))


def _indented(text: str, span: Span) -> Span:
    """A definition that is longer than the size anyway, with the indentation of its first line."""
    line = text.rfind("\n", 0, span.start) + 1
    return span if text[line : span.start].strip() else replace(span, start=line)


def _protect(levels: Levels, pieces: list[_Piece]) -> None:
    for piece in pieces:
        levels[piece.start] = min(levels[piece.start], BLANK_LINE)
        if piece.whole:
            levels[piece.start + 1 : piece.end] = NEVER


def _borders(pieces: list[_Piece], ruled: _Ruled, smallest: int) -> list[int]:
    """Where runs of pieces begin that may be merged: the members of one class, the definitions at the top.

    A run shorter than `smallest` goes with the next, the last one with the one before.
    """
    starts = [0]
    for before, after in pairwise(pieces):
        inside = before.opens and after.level > before.level
        apart = before.alone or after.alone or after.opens or after.level < before.level
        if (before.alone if inside else apart) and not _short(ruled, starts[-1], after.start, smallest):
            starts.append(after.start)
    if len(starts) > 1 and _short(ruled, starts[-1], len(ruled.text), smallest):
        starts.pop()
    return starts


def _short(ruled: _Ruled, start: int, end: int, smallest: int) -> bool:
    return ruled.length(start, end) < smallest
