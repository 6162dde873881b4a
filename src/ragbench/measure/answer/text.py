"""Answers as comparable units (one Han or kana character, or one word of another script) and as words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from ragbench.text.han_words import han_words

_CHARACTER = r"[\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_LETTERS = (
    rf"(?:(?!{_CHARACTER})[^\W_])+"
    r"(?:[-.,'’/:+](?:(?![\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])[^\W_])+)*(?:\+\+|#)?"
)
_UNIT = re.compile(rf"{_CHARACTER}|{_LETTERS}")
_RUN = re.compile(rf"(?P<characters>{_CHARACTER}+)|{_LETTERS}")
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ARTICLES = frozenset(("a", "an", "the"))


@lru_cache(maxsize=4096)
def units(text: str) -> tuple[str, ...]:
    """Units of a text after NFKC and case folding; punctuation and English articles are left out.

    Identifiers and numbers stay whole (`AI-2024-03`, `3.5`, `C++`), thousands separators go (`1,000` is `1000`). A
    Chinese text is compared by character, an English one by word, a mixed one by both at once. Blank text: empty.
    """
    return tuple(unit for unit in _UNIT.findall(_folded(text)) if unit not in _ARTICLES)


def words(text: str) -> tuple[str, ...]:
    """The same with Han and kana cut into words of jieba's dictionary. Blank text: empty."""
    found: list[str] = []
    for run in _RUN.finditer(_folded(text)):
        found.extend(han_words(run[0]) if run["characters"] else [run[0]])
    return tuple(word for word in found if word not in _ARTICLES)


def _folded(text: str) -> str:
    return _GROUPING.sub("", unicodedata.normalize("NFKC", text).casefold())


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


def rouge_l(found: Sequence[str], wanted: Sequence[str]) -> float:
    """ROUGE-L: harmonic mean of the shares of both sequences that their longest common subsequence is, in [0, 1]; two
    empty ones 1, one empty one 0.

    Source: Lin 2004, with β = 1.
    """
    from rapidfuzz.distance import LCSseq

    if not found or not wanted:
        return 1.0 if len(found) == len(wanted) else 0.0
    return 2 * LCSseq.similarity(found, wanted) / (len(found) + len(wanted))
