"""Where runs of stops, commas and blanks end in a stretch of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragbench.text.code_points import code_points

Places = NDArray[np.int64]
Classes = NDArray[np.uint8]

# Classes of characters; every other one is 0.
_BLANK, _NEWLINE, _STOP, _CJK_STOP, _COMMA, _CJK_COMMA, _CLOSER, _LETTER = range(1, 9)
_SIGNS = {
    _STOP: ".!?;",
    _CJK_STOP: "。！？；…",
    _COMMA: ",:",
    _CJK_COMMA: "，、：",
    _CLOSER: "”’」』）》】\"')]",
}


def _table() -> Classes:
    # U+FF1F is the last sign; the entry behind it stands for all that follow. Letters beyond those told are none.
    table = np.zeros(0xFF21, dtype=np.uint8)
    for point in range(0x3001):
        table[point] = _BLANK if chr(point).isspace() else _LETTER if chr(point).isalpha() else 0
    table[0x4E00:0xA000] = _LETTER
    table[10] = _NEWLINE
    for number, signs in _SIGNS.items():
        table[[ord(sign) for sign in signs]] = number
    return table


_CLASSES = _table()
_ASCII = _CLASSES[:256].tobytes()
_ORDINARY = re.compile(rf"[^\s{re.escape(''.join(_SIGNS.values()))}]")


class SignRuns(NamedTuple):
    """Offsets in one stretch, each ascending, shape [n]: behind what a cut of the kind lies.

    `stops` are those behind `. ! ? ;` and blanks, and `stops_begin` where the signs begin; `in_word` says which of them
    have two letters in front.
    """

    blanks: Places
    lines: Places
    blank_lines: Places
    commas: Places
    cjk_commas: Places
    stops: Places
    stops_begin: Places
    in_word: NDArray[np.bool_]
    cjk_stops: Places


def stretches(text: str, least: int) -> Iterator[tuple[int, int]]:
    """`[start, end)` of parts of at least so many characters, the last apart; no run of signs or blanks is parted."""
    start = 0
    while start < len(text):
        ordinary = _ORDINARY.search(text, start + least)
        end = ordinary.end() if ordinary else len(text)
        yield start, end
        start = end


def sign_runs(text: str) -> SignRuns:
    """The runs of a stretch.

    Closing quotes and brackets belong to the stops before them. `. ! ? ;`, `,` and `:` count before a blank only, with
    all the blanks that follow. A run of blanks at the end of the text is none.
    """
    classes = _classes(text)
    newline = classes == _NEWLINE
    blank = (classes == _BLANK) | newline
    blank_ends = _run_ends(blank)
    closer_starts, closer_ends = _runs(classes == _CLOSER)
    begin, stop_ends = _runs(classes == _STOP)
    behind = _passed(stop_ends, closer_starts, closer_ends)
    before_blank = _at(blank, behind)
    begin, behind = begin[before_blank], behind[before_blank]
    _, cjk_stop_ends = _runs(classes == _CJK_STOP)
    commas = np.flatnonzero(classes == _COMMA) + 1
    lines = np.flatnonzero(newline) + 1
    return SignRuns(
        blanks=blank_ends[: -1 if len(blank_ends) and blank_ends[-1] == len(text) else None],
        lines=lines,
        blank_lines=lines[1:][np.diff(lines) == 1],
        commas=_following(blank_ends, commas[_at(blank, commas)]),
        cjk_commas=_runs(classes == _CJK_COMMA)[1],
        stops=_following(blank_ends, behind),
        stops_begin=begin,
        in_word=(begin > 1) & (classes[begin - 1] == _LETTER) & (classes[begin - 2] == _LETTER),
        cjk_stops=_passed(cjk_stop_ends, closer_starts, closer_ends),
    )


def _classes(text: str) -> Classes:
    if text.isascii():
        return np.frombuffer(text.encode("ascii").translate(_ASCII), dtype=np.uint8)
    return _CLASSES.take(code_points(text), mode="clip")


def _runs(mask: NDArray[np.bool_]) -> tuple[Places, Places]:
    """Where the runs begin and end."""
    at = np.flatnonzero(mask)
    if not len(at):
        return at, at
    apart = np.flatnonzero(np.diff(at) > 1)
    return at[np.concatenate(([0], apart + 1))], at[np.concatenate((apart, [len(at) - 1]))] + 1


def _run_ends(mask: NDArray[np.bool_]) -> Places:
    return _runs(mask)[1]


def _passed(places: Places, starts: Places, ends: Places) -> Places:
    """The places, those where a run begins moved to its end."""
    if not len(starts):
        return places
    number = np.minimum(np.searchsorted(starts, places), len(starts) - 1)
    return np.where(starts[number] == places, ends[number], places)


def _following(ends: Places, places: Places) -> Places:
    """The first end behind each place."""
    return ends[np.searchsorted(ends, places, side="right")]


def _at(mask: NDArray[np.bool_], places: Places) -> NDArray[np.bool_]:
    """The mask at places, false behind its end."""
    inside = np.minimum(places, len(mask) - 1)
    return mask[inside] & (places < len(mask))
