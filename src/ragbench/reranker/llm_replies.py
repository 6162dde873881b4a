"""Reading what a chat model replies when it reranks. Models add prose, fences and full-width signs."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping

_YES, _NO = frozenset({"yes", "y", "是", "true"}), frozenset({"no", "n", "否", "不", "false"})
_LEAST_MASS = 0.01
_LIST = re.compile(r"\[[\d\s,\[\]]+")
_CHAIN = re.compile(r"(?<!\d)\d+\]?(?:\s*>\s*\[?\d+\]?)+")
_BARE = re.compile(r"\A[\d\s,;、.]+\Z")
_NUMBER = re.compile(r"\d+")
_LABEL = re.compile(
    r"^[ \t]*\d+[.)][ \t]+(?=\S)|\b(?:passages?|documents?|docs?)\b\s*#?|段落|文档|第(?=\s*\d)|(?<=\d)\s*[段篇]"
    r"|\b(?:and|then)\b",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTES = re.compile(r"[\"'`*]")
_READ, _DIGITS = 20_000, 6
_GRADE = re.compile(r"(?<![\d.])[0-3](?![\d.]\d|\d)")
MAX_GRADE = 3


def yes_probability(first: Mapping[str, float]) -> float | None:
    """p(yes) / (p(yes) + p(no)) over the likeliest first tokens, every spelling of either summed, to 6 decimals.

    None where both together have less than 1 % of the probability: the model is about to say something else. None too
    where a log-probability is NaN.
    """
    if any(math.isnan(logprob) for logprob in first.values()):
        return None
    mass = {True: 0.0, False: 0.0}
    for token, logprob in first.items():
        word = unicodedata.normalize("NFKC", token).strip().strip("\"'*.。▁").lower()
        if word in _YES or word in _NO:
            mass[word in _YES] += math.exp(min(0.0, logprob))
    total = mass[True] + mass[False]
    return round(mass[True] / total, 6) if total >= _LEAST_MASS else None


def read_grade(text: str) -> float | None:
    """The first whole number from 0 to 3 of a reply, divided by 3; None where there is none."""
    found = _GRADE.search(unicodedata.normalize("NFKC", text[:_READ]))
    return int(found[0]) / MAX_GRADE if found else None


def read_order(text: str, count: int) -> tuple[list[int], int] | None:
    """A permutation of 0 … count − 1 from a reply that names passages by number from 1, and how many it named.

    What names the most passages counts: a list `[2, 1, 3]` (also one that breaks off), a chain `2 > 1 > 3`, or a reply
    of nothing but numbers; each also with the word before the number (`Passage 2, Passage 1`) or as a numbered list of
    lines. Numbers out of range and repeated ones are left out; passages that are not named follow in
    the order they had. None where no passage is named.
    """
    clean = _QUOTES.sub("", unicodedata.normalize("NFKC", text[:_READ]))
    clean = _LABEL.sub(" ", clean)
    parts = [*_LIST.findall(clean), *_CHAIN.findall(clean), *_BARE.findall(clean)]
    read = [[int(number) for number in _NUMBER.findall(part) if len(number) <= _DIGITS] for part in parts]
    within = [list(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= count)) for numbers in read]
    named = max(within, key=len, default=[])
    if not named:
        return None
    return list(dict.fromkeys([*named, *range(count)])), len(named)
