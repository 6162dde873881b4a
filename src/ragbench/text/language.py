"""Which language a text is in."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["zh", "en", "mixed"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_HAN_PER_WORD = 1.6


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
    share = han_share(text)
    if share >= 0.8:
        return "zh"
    return "en" if share <= 0.1 else "mixed"


def answers_in_chinese(text: str) -> bool:
    """Whether a reply to this text is to follow Chinese conventions: at least three in ten words are Han."""
    return han_share(text) >= 0.3
