"""Terms of many lines of ASCII text at once.

Most words of such text are a few letters between blanks. They are found by comparing neighbouring bytes of all lines
together and told apart as numbers, eight letters in eight bytes; every other word goes through the analyser's rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragbench.sparse.analyser import SIGNS, TRAILING, expand

Numbers = NDArray[np.int64]
_WIDTH = 8
_BLANK, _LETTER, _OTHER = range(3)


class Occurrences(NamedTuple):
    """Terms, which of them stands at each place [n], and in which line [n], ascending."""

    terms: list[str]
    which: Numbers
    lines: Numbers


def ascii_terms(lines: Sequence[str]) -> Occurrences:
    """The terms of ASCII lines without line breaks, those of `ragbench.sparse.analyser` with either dictionary.

    A term may stand in `terms` more than once; the order of the terms of one line carries no meaning.
    """
    text = "\n".join(["", *lines, ""]).lower()
    codes = np.frombuffer(text.encode("ascii") + b"\0" * _WIDTH, dtype=np.uint8)
    kinds = _KINDS.take(codes)
    edges = np.flatnonzero(np.diff(kinds != _BLANK)) + 1
    starts, ends = edges[::2], edges[1::2]
    row = np.cumsum(codes == ord("\n"), dtype=np.int32)[starts] - 1
    lengths = ends - starts - _STRIPPED[codes[ends - 1]]
    letters = np.cumsum(kinds == _LETTER, dtype=np.int32)
    plain = (letters[starts - 1 + lengths] - letters[starts - 1] == lengths) & (lengths > 0) & (lengths <= _WIDTH)
    # The eight bytes from each place on, those beyond the word made zero.
    eight = np.ndarray(len(codes) - _WIDTH + 1, "<u8", codes, 0, (1,))
    packed = eight[starts[plain]] & _MASKS[lengths[plain]]
    order = np.argsort(packed)  # `np.unique` takes several times as long
    ordered = packed[order]
    new = np.diff(ordered, prepend=~ordered[:1]) != 0
    distinct = ordered[new]
    which = np.empty(len(packed), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    words = [word.decode("ascii") for word in distinct.view(f"S{_WIDTH}").tolist()]
    rest = list(_expanded(text, starts[~plain].tolist(), ends[~plain].tolist(), row[~plain].tolist()))
    places = np.array([line for _, line in rest], dtype=np.int64)
    found = np.concatenate([row[plain], places])
    order = np.argsort(found, kind="stable")
    which = np.concatenate([which, np.arange(len(words), len(words) + len(rest))])
    return Occurrences(words + [term for term, _ in rest], which[order], found[order])


def _expanded(text: str, *places: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Terms, with their lines, of words that are more than a few letters."""
    for start, end, line in zip(*places):
        word = text[start:end].lstrip(SIGNS)
        if word:
            yield from ((term, line) for term in expand(word))


def _kinds() -> NDArray[np.uint8]:
    kinds = np.full(256, _BLANK, dtype=np.uint8)
    for code in range(128):
        if chr(code).isalpha():
            kinds[code] = _LETTER
        elif chr(code).isdigit() or chr(code) in SIGNS:
            kinds[code] = _OTHER
    return kinds


_KINDS = _kinds()
_STRIPPED = np.isin(np.arange(256), [ord(sign) for sign in TRAILING]).astype(np.int64)
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(_WIDTH + 1)], dtype=np.uint64)
