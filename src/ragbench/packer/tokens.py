"""Tokens of a text, estimated without a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_HAN, _LETTER, _DIGIT, _BLANK, _WIDE, _NARROW = range(6)
_PER_CHARACTER = (790, 47, 344, 0, 848, 458)
_PER_WORD = 842
_PER_SIGNS = 1274
_THOUSAND = 1000


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


def _weights() -> NDArray[np.int32]:
    """Thousandths of a token by `6 · class of the character before + class`; a text begins after a blank."""
    table = np.tile(np.array(_PER_CHARACTER, dtype=np.int32), (len(_PER_CHARACTER), 1))
    for kind, extra in ((_LETTER, _PER_WORD), (_NARROW, _PER_SIGNS)):
        table[:, kind] += extra
        table[kind, kind] -= extra
    return table.ravel()


_CLASS = _classes()
_WEIGHT = _weights()


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
        classes = _CLASS.take(np.frombuffer(joined.encode("ascii"), dtype=np.uint8))
    else:
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        classes = _CLASS.take(np.minimum(codes, 0xFFFF))
    filled = lengths > 0
    starts = (np.cumsum(lengths) - lengths)[filled]
    before = np.empty_like(classes)
    before[1:] = classes[:-1]
    before[starts] = _BLANK
    weights = _WEIGHT.take(before * np.uint8(len(_PER_CHARACTER)) + classes)
    thousandths = np.zeros(len(texts), dtype=np.int64)
    thousandths[filled] = np.add.reduceat(weights, starts, dtype=np.int64) if len(starts) else 0
    counts: list[int] = (-(-thousandths // _THOUSAND)).tolist()
    return counts
