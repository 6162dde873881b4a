"""Text as the e5 tokeniser reads it, with the place that each character comes from, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ragbench.text.code_points import code_points

Points = NDArray[np.uint32]
Places = NDArray[np.int64]

_STRETCH = 1 << 18
_BLANK = 32


class Alignment:
    """Replacements of code points (those of `E5File.normaliser`) as arrays."""

    def __init__(self, replacements: Mapping[int, str]) -> None:
        table = [replacements.get(point, chr(point)) for point in range(max(replacements) + 1)]
        self._size = len(table)
        # The entry behind the table stands for all code points beyond it, which stay as they are.
        self._lengths = np.array([*map(len, table), 1], dtype=np.int64)
        self._first = np.cumsum(self._lengths) - self._lengths
        self._values = np.append(code_points("".join(table)), np.uint32(0))

    def pieces(self, text: str, longest: int) -> Iterator[tuple[str, Places]]:
        """The normalised text in pieces, and for each character of a piece the offset in `text` that it comes from.

        Runs of blanks are one blank, which comes from the first of them; there is none at the ends of the text. A piece
        ends before a blank and the next begins with it, so that every word lies in one piece with the blank before it;
        only a word longer than `longest` characters is cut. A text without visible characters gives no piece.
        """
        held, places = np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int64)
        after_blank = True
        for start in range(0, len(text), _STRETCH):
            points, origin = self._replaced(code_points(text[start : start + _STRETCH]))
            if not len(points):
                continue
            blank = points == _BLANK
            kept = ~(blank & np.append(after_blank, blank[:-1]))
            after_blank = bool(blank[-1])
            held = np.concatenate((held, points[kept]))
            places = np.concatenate((places, origin[kept] + start))
            for end in _ends(held, longest):
                yield _decoded(held[:end]), places[:end]
                held, places = held[end:], places[end:]
        if len(held) and held[-1] == _BLANK:
            held, places = held[:-1], places[:-1]
        if len(held):
            yield _decoded(held), places

    def _replaced(self, points: Points) -> tuple[Points, Places]:
        """Every code point replaced, and the index of the one that each comes from."""
        row = np.minimum(points, self._size).astype(np.int64)
        lengths, first = self._lengths[row], self._first[row]
        origin = np.arange(len(points))
        if (lengths != 1).any():
            begun = np.cumsum(lengths) - lengths
            origin = np.repeat(origin, lengths)
            first = np.repeat(first - begun, lengths) + np.arange(len(origin))
            row = row[origin]
        return np.where(row < self._size, self._values[first], points[origin]), origin


def _ends(held: Points, longest: int) -> Iterator[int]:
    """Where to cut what is held, each counted from the cut before: at the last blank, and inside a first word that is
    too long."""
    blanks = np.flatnonzero(held[1:] == _BLANK) + 1
    first = int(blanks[0]) if len(blanks) else len(held)
    cut = 0
    while first - cut > longest:
        yield longest
        cut += longest
    if len(blanks) and blanks[-1] > cut:
        yield int(blanks[-1]) - cut


def _decoded(points: Points) -> str:
    return points.astype("<u4").tobytes().decode("utf-32-le")
