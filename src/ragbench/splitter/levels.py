"""How good a cut would be at each position of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ragbench.corpus.structure import Block
from ragbench.text.code_points import blank_mask, code_points

Levels = NDArray[np.uint8]

# From coarse to fine; a cut of level l at position p parts `text[:p]` from `text[p:]` after a separator of that kind.
BLANK_LINE, LINE, CJK_SENTENCE, SENTENCE, COMMA, BLANK, CHARACTER = range(7)
NATURAL = (BLANK_LINE, LINE, CJK_SENTENCE, SENTENCE, COMMA, BLANK)
# Between a heading and its text: only where nothing else is left. Inside an atomic unit: never.
AFTER_HEADING, NEVER = 7, 255

_STRETCH = 1 << 18
_CLOSING = "”’」』）》】\"')\\]"
_CJK_SENTENCE = re.compile(f"[。！？；…]+[{_CLOSING}]*")
# From the start of a run of stops only, so that a long one (`......`) is not read again from each of its signs.
_SENTENCE = re.compile(rf"[.!?;](?<![.!?;]{{2}})[.!?;]*+[{_CLOSING}]*+\s++")
_COMMA = re.compile(r"[，、：]+|[,:]\s+")


def cut_levels(text: str) -> Levels:
    """Level of a cut at each position, shape [len(text) + 1], uint8; of several separators there the coarsest counts.

    The levels: blank line, line, `。！？；`, `. ! ? ;` before a blank, `，` `,`, blank, character. A cut
    lies after its separator, so that separators stay in the text; that of a run of blanks lies after the run. A stretch
    of the text at a time, so that memory beside the levels does not grow with it.
    """
    levels = np.full(len(text) + 1, CHARACTER, dtype=np.uint8)
    for start in range(0, len(text), _STRETCH):
        points = code_points(text[start : start + _STRETCH + 1])
        blank, newline = blank_mask(points), points == 10
        _mark(levels, start + np.flatnonzero(blank[:-1] & ~blank[1:]) + 1, BLANK)
        _mark(levels, start + np.flatnonzero(newline) + 1, LINE)
        _mark(levels, start + np.flatnonzero(newline[:-1] & newline[1:]) + 2, BLANK_LINE)
    for level, ends in (
        (COMMA, _ends(_COMMA, text)),
        (SENTENCE, _sentence_ends(text)),
        (CJK_SENTENCE, _ends(_CJK_SENTENCE, text)),
    ):
        while len(some := np.fromiter(islice(ends, _STRETCH), dtype=np.int64)):
            _mark(levels, some, level)
    return levels


def _ends(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    return (found.end() for found in pattern.finditer(text))


def _sentence_ends(text: str) -> Iterator[int]:
    """Where `. ! ? ;` and the blanks behind end; a list marker (`1. `, `a. `) that opens a line ends no sentence."""
    for found in _SENTENCE.finditer(text):
        dot = found.start()
        if not (text[dot] == "." and text[dot + 1].isspace() and _is_marker(text, dot)):
            yield found.end()


def _is_marker(text: str, dot: int) -> bool:
    """Whether up to three digits or a letter before the dot open their line."""
    at = dot
    while at > 0 and dot - at < 3 and text[at - 1].isdecimal():
        at -= 1
    if at == dot and at > 0 and text[at - 1].isascii() and text[at - 1].isalpha():
        at -= 1
    if at == dot:
        return False
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    return at == 0 or text[at - 1] == "\n"


def protect(levels: Levels, text: str, blocks: Iterable[Block], between_lines: Iterable[Block] = ()) -> None:
    """Forbid cuts inside atomic blocks, in place.

    Headings stay with what follows: before an atomic block always, before other text where it can be helped.
    Of `between_lines` blocks only the lines are atomic.
    """
    loose = {block.start for block in between_lines}
    heading: Block | None = None
    for block in blocks:
        if block.kind == "heading":
            levels[block.end : _next_text(text, block.end) + 1] = AFTER_HEADING
        else:
            inside = levels[block.start + 1 : block.end]
            inside[inside > LINE if block.start in loose else slice(None)] = NEVER
            if heading is not None and _next_text(text, heading.end) >= block.start:
                levels[heading.start + 1 : block.start + 1] = NEVER
        heading = block if block.kind == "heading" else None


def _next_text(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _mark(levels: Levels, positions: NDArray[np.int64], level: int) -> None:
    levels[positions] = np.minimum(levels[positions], level)
