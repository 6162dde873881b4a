"""Turns of conversations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.packing import Limits
from ragbench.splitter.sections import Section, check_longest, pack_sections, sections
from ragbench.splitter.trim import drop_blanks
from ragbench.splitter.turn_marks import turn_marks


@dataclass(frozen=True, kw_only=True)
class DialogueSplitter(MergingSplitter):
    """Windows of `turns` turns of a conversation, the last `overlap_turns` of each repeated in the next.

    `turn_marks` says what a turn is. No turn is cut, a window longer than `chunk_size` is flagged `atomic`; with
    `max_turn` (same unit, None: never) a turn longer than that stands alone and is cut as by `recursive`. A heading
    or day line belongs to the turn below it. A window whose new turns are shorter than `min_size`, and such a text
    before the first turn, join their neighbour. Text that is no turn, and a document that is no conversation, are cut
    as by `recursive` with `chunk_size` and `overlap`, which do not touch turns.

    Raises:
        ConfigError: `turns` below 1, or `overlap_turns` not below `turns`.
    """

    STRUCTURAL: ClassVar[bool] = True

    turns: int
    overlap_turns: int
    max_turn: int | None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check_longest("max_turn", self.max_turn)
        for name, value, least in (("turns", self.turns, 1), ("overlap_turns", self.overlap_turns, 0)):
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                expected = f"a whole number of at least {least}"
                raise ConfigError(f"pipeline.splitter.{name}", expected=expected, found=repr(value))
        if self.overlap_turns >= self.turns:
            raise ConfigError(
                "pipeline.splitter.overlap_turns",
                expected="less than turns",
                found=f"overlap_turns {self.overlap_turns} with turns {self.turns}",
                hint="Lower overlap_turns.",
            )

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        text = document.text
        ruler = Ruler(text, self.unit)
        parts = self._with_short_opening(text, ruler, sections(text, turn_marks(document)))
        pieces = pack_sections(text, ruler, Limits(self.size, self._overlap(), self.smallest), parts, self.max_turn)
        starts = [part.start for part in parts]
        whole = [self._is_whole_turn(part, text, ruler) for part in parts]
        kept: list[Span] = []
        for turns, group in groupby(pieces, key=lambda piece: whole[bisect_right(starts, piece.start) - 1]):
            spans = list(group)
            kept += self._windows(spans, ruler) if turns else spans
        return kept

    def _is_whole_turn(self, part: Section, text: str, ruler: Ruler) -> bool:
        length = ruler.length(part.start, drop_blanks(text, part.start, part.end))
        return part.unit and (self.max_turn is None or length <= self.max_turn)

    def _with_short_opening(self, text: str, ruler: Ruler, parts: Sequence[Section]) -> Sequence[Section]:
        """The sections, a text of less than `min_size` before the first turn joined to it."""
        if len(parts) < 2 or parts[0].unit:
            return parts
        opening, first = parts[:2]
        if ruler.length(0, drop_blanks(text, 0, opening.end)) >= self.smallest:
            return parts
        return [first._replace(start=opening.start), *parts[2:]]

    def _windows(self, turns: Sequence[Span], ruler: Ruler) -> Iterator[Span]:
        """Windows over consecutive turns; each holds something new."""
        first, end = 0, 0
        while end < len(turns):
            end = min(first + self.turns, len(turns))
            if end < len(turns) and ruler.length(turns[end].start, turns[-1].end) < self.smallest:
                end = len(turns)
            start, stop = turns[first].start, turns[end - 1].end
            yield Span(start, stop, ("atomic",) if ruler.length(start, stop) > self.size else ())
            first = end - self.overlap_turns
