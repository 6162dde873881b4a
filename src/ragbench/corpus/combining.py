"""Runs of combining marks, kept short enough for Unicode normalisation."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby, pairwise

# Unicode's stream-safe text format (UAX #15, section 13): so many marks on end, then a joiner, which is none.
MAX_MARKS = 30
_JOINER = "\u034f"
# A composed letter may hold three marks of its own.
_OWN = 3
_HIGHER = re.compile("[\U00010000-\U0001ffff]")
# Marks that normalisation always takes to pieces.
_DOUBLE = {mark: unicodedata.normalize("NFD", mark) for mark in "\u0344\u0f73\u0f75\u0f81"}


def stream_safe(text: str) -> str:
    """The text with a U+034F after each thirty combining marks in a row.

    Normalisation sorts the marks of a run by insertion: twenty thousand of them take seconds, a megabyte hours. Runs of
    up to thirty – no language writes ten – are returned as they are. Idempotent, also with NFC after it. Linear.
    """
    if text.isascii():
        return text
    for mark, pieces in _DOUBLE.items():
        if mark in text:
            text = text.replace(mark, pieces)
    return _runs(_last(text)).sub(_parted, text)


def long_runs(text: str) -> int:
    """How many runs `stream_safe` has parted in a text that is NFC by now."""
    return len(_parted_runs(_last(text)).findall(text)) if _JOINER in text else 0


def _parted(found: re.Match[str]) -> str:
    run, start = found[0], found.start()
    base = unicodedata.normalize("NFD", found.string[start - 1 : start])
    first = MAX_MARKS - sum(map(bool, map(unicodedata.combining, base)))
    if len(run) <= first:
        return run
    places = [0, *range(first, len(run), MAX_MARKS), len(run)]
    return _JOINER.join(run[place:end] for place, end in pairwise(places))


@cache
def _marks(last: int) -> str:
    """All marks up to a code point, as the inside of a character class."""
    points = [point for point in range(0x300, last) if unicodedata.combining(chr(point))]
    ranges = []
    for _, group in groupby(enumerate(points), key=lambda pair: pair[1] - pair[0]):
        run = [point for _, point in group]
        ranges.append(f"{chr(run[0])}-{chr(run[-1])}")
    return "".join(ranges)


def _last(text: str) -> int:
    # A class of the first plane alone is looked through ten times as fast. There are no marks beyond the second.
    return 0x20000 if _HIGHER.search(text) else 0x10000


@cache
def _runs(last: int) -> re.Pattern[str]:
    return re.compile(f"[{_marks(last)}]{{{MAX_MARKS - _OWN + 1},}}")


@cache
def _parted_runs(last: int) -> re.Pattern[str]:
    marks = _marks(last)
    return re.compile(f"[{marks}]{{{MAX_MARKS - 2 * _OWN},}}(?:{_JOINER}[{marks}]+)+")
