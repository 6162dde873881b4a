"""Length units: characters, words, tokens."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

Offsets = NDArray[np.int64]
UNITS = ("chars", "words", "tokens")

# Characters written without blanks between words, each a unit of its own: CJK punctuation, kana, ideographs of all
# planes, and full-width forms. Hangul is written with blanks and is not among them.
_OWN_UNIT = ((0x3001, 0x303F), (0x3040, 0x312F), (0x31A0, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFF9F))
_OWN_UNIT_SUPPLEMENTARY = (0x20000, 0x3FFFF)
_MARKS = ((0x0300, 0x036F), (0x200C, 0x200D), (0x20D0, 0x20FF), (0x3099, 0x309A), (0xFE00, 0xFE0F), (0x1F3FB, 0x1F3FF))
_LONGEST_WORD = 64


@lru_cache(maxsize=1024)
def unit_starts(text: str, unit: str) -> Offsets:
    """Character offset at which each unit of the text starts, then the text's length: shape [n_units + 1], int64.

    Unit i is `text[starts[i]:starts[i + 1]]`, so blanks belong to the unit before them and leading blanks to the
    first; n units from unit i are exactly the characters `[starts[i], starts[i + n])`. An empty text, and in words and
    tokens a blank one, has no units and gives `[length]`; a text that is not blank but holds nothing that the tokeniser
    sees (U+FFFD only) is one unit.

    * `chars`: Unicode code points.
    * `words`: each ideograph, kana, CJK punctuation mark or full-width character is one word, as word
      processors count; of everything else each run without blanks is one, cut every 64 characters so that text
      without blanks has a length too. No dictionary takes part.
    * `tokens`: of the tokeniser of the offline e5 embedder. Several tokens of one character share its offset.

    The array is read-only and remembered, because the variants of a sweep measure the same documents.

    Raises:
        ConfigError: unknown unit, or the tokeniser is not installed.
    """
    if unit == "chars":
        return _sealed(np.arange(len(text) + 1, dtype=np.int64))
    if unit == "words":
        starts = _word_starts(code_points(text))
    elif unit == "tokens":
        starts = np.array([start for start, _ in _token_offsets()(text)], dtype=np.int64)
        starts = np.maximum.accumulate(starts)
    else:
        raise ConfigError("chunk_unit", expected=f"one of {', '.join(UNITS)}", found=repr(unit))
    if len(starts):
        starts[0] = 0
    elif text.strip():
        starts = np.zeros(1, dtype=np.int64)
    return _sealed(np.append(starts, len(text)))


def _sealed(offsets: Offsets) -> Offsets:
    offsets.setflags(write=False)
    return offsets


def code_points(text: str) -> NDArray[np.uint32]:
    """The text's code points, shape [len(text)]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def blank_mask(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are blank (`str.isspace`)."""
    blank: NDArray[np.bool_] = _BLANK_TABLE[np.minimum(points, len(_BLANK_TABLE) - 1)]
    return blank


# U+3000 is the last blank; the table's last entry stands for all that follow.
_BLANK_TABLE = np.array([chr(point).isspace() for point in range(0x3001)] + [False])


def _word_starts(points: NDArray[np.uint32]) -> Offsets:
    if not len(points):
        return np.zeros(0, dtype=np.int64)
    blank = blank_mask(points)
    own, other = np.zeros(len(points), dtype=np.bool_), ~blank
    if points.max() >= _MARKS[0][0]:
        marks = _in_ranges(points, _MARKS)
        own = _in_ranges(points, (*_OWN_UNIT, _OWN_UNIT_SUPPLEMENTARY)) & ~marks
        # A mark after an ideograph belongs to it and starts nothing.
        other &= ~own & ~(marks & np.append(False, own[:-1]))
    run_start = other & ~np.append(False, other[:-1])
    positions = np.arange(len(points))
    since = positions - np.maximum.accumulate(np.where(run_start, positions, 0))
    return np.flatnonzero(own | (other & (since % _LONGEST_WORD == 0))).astype(np.int64)


def _in_ranges(points: NDArray[np.uint32], ranges: tuple[tuple[int, int], ...]) -> NDArray[np.bool_]:
    found = np.zeros(len(points), dtype=np.bool_)
    for first, last in ranges:
        found |= (points >= first) & (points <= last)
    return found


def _token_offsets() -> Callable[[str], list[tuple[int, int]]]:
    try:
        from ragbench.embedder.e5_tokenizer import token_offsets
    except ImportError as error:
        raise ConfigError(
            "chunk_unit",
            expected="the offline tokeniser for lengths in tokens",
            found=f"it cannot be loaded ({error})",
            hint="Use chunk_unit=chars or chunk_unit=words.",
        ) from error
    return token_offsets


class Ruler:
    """Measures spans of one text in a unit and finds the offset n units further on."""

    def __init__(self, text: str, unit: str) -> None:
        self.n_chars = len(text)
        self._starts = None if unit == "chars" else unit_starts(text, unit)
        self.n_units = len(text) if self._starts is None else len(self._starts) - 1

    def units_before(self, offset: int) -> int:
        """Units that start before a character offset."""
        if self._starts is None:
            return offset
        return int(np.searchsorted(self._starts[:-1], offset))

    def units_before_all(self, offsets: Offsets) -> Offsets:
        """`units_before` of ascending offsets, shape [n]."""
        if self._starts is None:
            return offsets
        return np.searchsorted(self._starts[:-1], offsets).astype(np.int64)

    def length(self, start: int, end: int) -> int:
        """Units that start in `[start, end)`."""
        return self.units_before(end) - self.units_before(start)

    def offset(self, unit: int) -> int:
        """Where a unit starts; the end of the text beyond the last, 0 before the first."""
        unit = max(0, min(unit, self.n_units))
        return unit if self._starts is None else int(self._starts[unit])

    def offsets(self, units: Offsets) -> Offsets:
        """Where units start, shape [n]."""
        return units if self._starts is None else self._starts[units]
