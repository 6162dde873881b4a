"""Length units: characters, words, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragbench.errors import ConfigError
from ragbench.splitter.unit_memory import Starts, UnitMemory
from ragbench.splitter.watch import reached
from ragbench.text.code_points import blank_mask, code_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Offsets = NDArray[np.int64]
UNITS = ("chars", "words", "tokens")

# Characters written without blanks between words, each a unit of its own: CJK punctuation, kana, ideographs of all
# planes, and full-width forms. Hangul is written with blanks and is not among them.
_OWN_UNIT = ((0x3001, 0x303F), (0x3040, 0x312F), (0x31A0, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFF9F))
_OWN_UNIT_SUPPLEMENTARY = (0x20000, 0x3FFFF)
_MARKS = ((0x0300, 0x036F), (0x200C, 0x200D), (0x20D0, 0x20FF), (0x3099, 0x309A), (0xFE00, 0xFE0F), (0x1F3FB, 0x1F3FF))
_LONGEST_WORD = 64
_STRETCH = 1 << 18


def unit_starts(text: str, unit: str) -> Starts:
    """Character offset at which each unit of the text starts, then the text's length: shape [n_units + 1].

    Unit i is `text[starts[i]:starts[i + 1]]`, so blanks belong to the unit before them and leading blanks to the
    first; n units from unit i are exactly the characters `[starts[i], starts[i + n])`. An empty text, and in words and
    tokens a blank one, has no units and gives `[length]`; a text that is not blank but holds nothing that the tokeniser
    sees (U+FFFD only) is one unit.

    * `chars`: Unicode code points.
    * `words`: each ideograph, kana, CJK punctuation mark or full-width character is one word, as word
      processors count; of everything else each run without blanks is one, cut every 64 characters so that text
      without blanks has a length too. No dictionary takes part.
    * `tokens`: of the tokeniser of the offline e5 embedder. Several tokens of one character share its offset. A run
      of more than 262 144 characters without a blank is measured in parts.

    The array is int32 (int64 for texts of 2³¹ characters and more), read-only, and remembered up to 256 MiB, because
    the variants of a sweep measure the same documents. Memory beside the array does not grow with the text.

    Raises:
        ConfigError: unknown unit, or the tokeniser is not installed.
    """
    width: type[np.int32 | np.int64] = np.int32 if len(text) < 2**31 else np.int64
    if unit == "chars":
        return _sealed(_with_end(text, [np.arange(len(text))], width))
    if unit not in UNITS:
        raise ConfigError("chunk_unit", expected=f"one of {', '.join(UNITS)}", found=repr(unit))
    starts = _memory.get(text, unit)
    if starts is None:
        starts = _sealed(_with_end(text, _token_starts(text) if unit == "tokens" else _word_starts(text), width))
        _memory.put(text, unit, starts)
    return starts


_memory = UnitMemory(256 * 2**20)


def _with_end(text: str, parts: Iterable[Offsets], width: type[np.int32 | np.int64]) -> Starts:
    """The starts and the text's length; the first unit of a text that has any begins at 0."""
    found = []
    for part in parts:
        if len(part):
            found.append(part.astype(width))
            reached(int(part[-1]))
    if not found and text.strip():
        found = [np.zeros(1, dtype=width)]
    elif found:
        found[0][0] = 0
    starts: Starts = np.concatenate([*found, np.array([len(text)], dtype=width)])
    return starts


def _sealed(offsets: Starts) -> Starts:
    offsets.setflags(write=False)
    return offsets


def _word_starts(text: str) -> Iterator[Offsets]:
    """Stretch by stretch; what a stretch needs to know of the one before is carried on."""
    own_before = other_before = False
    run = 0
    for begun in range(0, len(text), _STRETCH):
        points = code_points(text[begun : begun + _STRETCH])
        own, other = np.zeros(len(points), dtype=np.bool_), ~blank_mask(points)
        if points.max() >= _MARKS[0][0]:
            marks = _in_ranges(points, _MARKS)
            own = _in_ranges(points, (*_OWN_UNIT, _OWN_UNIT_SUPPLEMENTARY)) & ~marks
            # A mark after an ideograph belongs to it and starts nothing.
            other &= ~own & ~(marks & np.append(own_before, own[:-1]))
        cuts = other & ~np.append(other_before, other[:-1])
        runs = np.flatnonzero(cuts)
        if other_before or np.diff(runs, append=len(points)).max(initial=0) > _LONGEST_WORD:
            positions = np.arange(begun, begun + len(points))
            begins = np.maximum.accumulate(np.where(cuts, positions, run))
            cuts = other & ((positions - begins) % _LONGEST_WORD == 0)
        yield begun + np.flatnonzero(own | cuts)
        own_before, other_before, run = bool(own[-1]), bool(other[-1]), begun + int(runs[-1]) if len(runs) else run


def _in_ranges(points: NDArray[np.uint32], ranges: tuple[tuple[int, int], ...]) -> NDArray[np.bool_]:
    found = np.zeros(len(points), dtype=np.bool_)
    for first, last in ranges:
        found |= (points >= first) & (points <= last)
    return found


def _token_starts(text: str) -> Iterator[Offsets]:
    try:
        from ragbench.embedder.e5_tokenizer import token_starts
    except ImportError as error:
        raise ConfigError(
            "chunk_unit",
            expected="the offline tokeniser for lengths in tokens",
            found=f"it cannot be loaded ({error})",
            hint="Use chunk_unit=chars or chunk_unit=words.",
        ) from error
    return token_starts(text)


class Ruler:
    """Measures spans of one text in a unit and finds the offset n units further on."""

    def __init__(self, text: str, unit: str) -> None:
        self.n_chars = len(text)
        self._starts = None if unit == "chars" else unit_starts(text, unit)
        self.n_units = len(text) if self._starts is None else len(self._starts) - 1
        self._units = None if self._starts is None else self._starts[:-1]

    def units_before(self, offset: int) -> int:
        """Units that start before a character offset."""
        if self._units is None:
            return offset
        # A key of another width would have the whole array copied to that width.
        return int(self._units.searchsorted(self._units.dtype.type(offset)))

    def units_before_all(self, offsets: Offsets) -> Offsets:
        """`units_before` of ascending offsets, shape [n]."""
        if self._units is None:
            return offsets
        return self._units.searchsorted(offsets.astype(self._units.dtype)).astype(np.int64)

    def length(self, start: int, end: int) -> int:
        """Units that start in `[start, end)`."""
        return end - start if self._units is None else self.units_before(end) - self.units_before(start)

    def offset(self, unit: int) -> int:
        """Where a unit starts; the end of the text beyond the last, 0 before the first."""
        unit = max(0, min(unit, self.n_units))
        return unit if self._starts is None else int(self._starts[unit])

    def offsets(self, units: Offsets) -> Offsets:
        """Where units start, shape [n]."""
        return units if self._starts is None else self._starts[units].astype(np.int64)
