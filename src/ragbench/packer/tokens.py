"""Tokens of a text, estimated without a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_HAN, _LETTER, _DIGIT, _BLANK, _WIDE, _NARROW = range(6)
_PER_CHARACTER = np.array([0.79, 0.047, 0.344, 0.0, 0.848, 0.458])
_PER_WORD = 0.842
_PER_SIGNS = 1.274


def _classes() -> NDArray[np.uint8]:
    table = np.full(0x10000, _WIDE, dtype=np.uint8)
    table[:0x2000] = _NARROW
    table[0x3040:0xFB00] = _HAN
    for low, high in ((0x41, 0x5B), (0x61, 0x7B), (0xC0, 0x250), (0x370, 0x530)):
        table[low:high] = _LETTER
    table[0x30:0x3A] = _DIGIT
    for code in (9, 10, 11, 12, 13, 32, 0xA0, 0x3000):
        table[code] = _BLANK
    return table


_CLASS = _classes()


def estimate_tokens(texts: Sequence[str]) -> list[int]:
    """Estimated number of subword tokens of each text: 0 without visible characters, else at least 1.

    0.79 a Han or kana character, 0.842 a Latin word + 0.047 a letter of it, 0.344 a digit, 0.848 a wide sign, 1.274
    a run of narrow signs + 0.458 a sign of it; rounded up. Weights by least squares on the tokeniser of
    multilingual-e5-small. Against it, on 500-character pieces of the shipped eval sets: total within 1 %, mean
    absolute error 5.4 % zh and 6.0 % en, nine pieces in ten within 14 %. Linear in the characters, vectorised.
    """
    if not texts:
        return []
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    joined = "".join(texts)
    if joined.isascii():
        classes = _CLASS[np.frombuffer(joined.encode("ascii"), dtype=np.uint8)]
    else:
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        classes = _CLASS[np.minimum(codes, 0xFFFF)]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    weights = _PER_CHARACTER[classes]
    weights += _PER_WORD * _begins(classes == _LETTER, starts[:-1]) + _PER_SIGNS * _begins(
        classes == _NARROW, starts[:-1]
    )
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    estimates = np.round(sums[starts[1:]] - sums[starts[:-1]], 6)
    return [int(value) for value in np.ceil(estimates)]


def _begins(inside: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where runs begin; a text's first character begins one whatever stands before it."""
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    first = starts[starts < len(inside)]
    begins[first] = inside[first]
    return begins
