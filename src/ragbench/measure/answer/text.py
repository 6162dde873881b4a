"""Answers as comparable units: one Han or kana character, or one word of another script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_UNIT = re.compile(
    r"[\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|(?:(?![\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[^\W_])+"
    r"(?:[-.,'’/:+](?:(?![\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])[^\W_])+)*(?:\+\+|#)?"
)
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ARTICLES = frozenset(("a", "an", "the"))


@lru_cache(maxsize=4096)
def units(text: str) -> tuple[str, ...]:
    """Units of a text after NFKC and case folding; punctuation and English articles are left out.

    Identifiers and numbers stay whole (`AI-2024-03`, `3.5`, `C++`), thousands separators go (`1,000` is `1000`). A
    Chinese
    text is compared by character, an English one by word, a mixed one by both at once. Blank text: empty.
    """
    folded = _GROUPING.sub("", unicodedata.normalize("NFKC", text).casefold())
    return tuple(unit for unit in _UNIT.findall(folded) if unit not in _ARTICLES)


def f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Harmonic mean of precision and recall of two bags of units, in [0, 1]; two empty bags 1, one empty bag 0.

    Source: SQuAD (words) and CMRC 2018 (characters).
    """
    if not found or not wanted:
        return 1.0 if len(found) == len(wanted) else 0.0
    counts: dict[str, int] = {}
    for unit in wanted:
        counts[unit] = counts.get(unit, 0) + 1
    common = 0
    for unit in found:
        if counts.get(unit, 0) > 0:
            counts[unit] -= 1
            common += 1
    return 2 * common / (len(found) + len(wanted))
