"""Which language a text is in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Language = Literal["zh", "en", "mixed"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_HAN_PER_WORD = 1.6
_HAN_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))
_LETTERS = (0x61, 0x7A)
_JOINTS = ((0x27, 0x27), (0x2D, 0x2D), (0x2019, 0x2019))
_BATCH = 200_000


def han_share(text: str) -> float:
    """Share of Han in the words of a text, in [0, 1]; 1.6 Han characters count as one word. No words at all: 0."""
    han = len(_HAN.findall(text)) / _HAN_PER_WORD
    latin = sum(1 for _ in _WORD.finditer(text))
    return han / (han + latin) if han + latin else 0.0


def language_of(text: str) -> Language:
    """`zh` where at least 80 % of the words are Han, `en` where at most 10 % are (also a text without words), else
    `mixed`.

    Single Latin names in a Chinese sentence leave it Chinese from about six Han characters a name on.
    """
    return _named(han_share(text))


def languages_of(texts: Sequence[str]) -> list[Language]:
    """`language_of` each text, several times as fast for many texts."""
    found: list[Language] = []
    for batch in _batches(texts):
        han, words = _counted(batch)
        share = np.divide(han, han + words, out=np.zeros(len(batch)), where=han + words > 0)
        found += map(_named, share.tolist())
    return found


def answers_in_chinese(text: str) -> bool:
    """Whether a reply to this text is to follow Chinese conventions: at least three in ten words are Han."""
    return han_share(text) >= 0.3


def _named(share: float) -> Language:
    if share >= 0.8:
        return "zh"
    return "en" if share <= 0.1 else "mixed"


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts in order, some 200 000 characters at a time."""
    ends = [0, *accumulate(map(len, texts))]
    first = 0
    for number in range(1, len(ends)):
        if ends[number] - ends[first] >= _BATCH or number == len(texts):
            yield texts[first:number]
            first = number


def _counted(texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Han characters as words, and Latin words, of each text; a line end between two texts parts their words."""
    lengths = np.fromiter((len(text) + 1 for text in texts), np.int64, len(texts))
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    before = np.concatenate([np.array([10, 10], np.uint32), codes])  # the character before the one at i stands at i + 1
    letters, joints = _within(before | 0x20, _LETTERS), _within(before, *_JOINTS)
    goes_on = letters[1:-1] | (joints[1:-1] & letters[:-2])
    edges = np.cumsum(lengths) - lengths
    han = np.add.reduceat(_within(codes, *_HAN_RANGES), edges, dtype=np.int64) / _HAN_PER_WORD
    return han, np.add.reduceat(letters[2:] & ~goes_on, edges, dtype=np.int64).astype(np.float64)


def _within(codes: NDArray[Any], *ranges: tuple[int, int]) -> NDArray[np.bool_]:
    inside = np.zeros(len(codes), np.bool_)
    for low, high in ranges:
        inside |= (codes - np.uint32(low)) <= high - low  # what lies below wraps round to far above
    return inside
