"""How a question is built, as a few counts that no vector of its meaning holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_HAN_PER_WORD = 1.6
_COUNTED = {
    "latin_words": re.compile(r"[A-Za-z]+"),
    "question_marks": re.compile(r"[?？]"),
    "pauses": re.compile(r"[,，、；;：:]"),
    "full_stops": re.compile(r"[.。!！](?=\s|$|[\u4e00-\u9fff])"),
    "numbers": re.compile(r"\d+"),
    "quotes": re.compile(r"[「『《“\"`]"),
    "asking_words": re.compile(
        r"谁|多少|多久|几[天次个号点月步]|哪[个种里边一步]|怎么|什么|咋|如何|[吗呢]"
        r"|\b(?:what|how|who|when|where|which|why|whose)\b",
        re.IGNORECASE,
    ),
    "capitals": re.compile(r"[A-Z][A-Za-z]+"),
    "joints": re.compile(r"\b(?:and|or)\b|和|与|跟|还是|以及", re.IGNORECASE),
}
FORM = ("words", *_COUNTED)
"""Names of the counts, in the order of the columns."""


def form(texts: Sequence[str]) -> NDArray[np.float64]:
    """log(1 + count) of each feature of FORM, [n, 10]; `words` are Latin words and Han characters at 1.6 a word."""
    rows = np.zeros((len(texts), len(FORM)))
    for row, text in zip(rows, texts):
        counts = [len(pattern.findall(text)) for pattern in _COUNTED.values()]
        row[:] = [len(_HAN.findall(text)) / _HAN_PER_WORD + counts[0], *counts]
    return np.asarray(np.log1p(rows))
