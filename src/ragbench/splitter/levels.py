"""How good a cut would be at each position of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ragbench.corpus.structure import Block
from ragbench.splitter.length import blank_mask, code_points

Levels = NDArray[np.uint8]

# From coarse to fine; a cut of level l at position p parts `text[:p]` from `text[p:]` after a separator of that kind.
BLANK_LINE, LINE, CJK_SENTENCE, SENTENCE, COMMA, BLANK, CHARACTER = range(7)
NATURAL = (BLANK_LINE, LINE, CJK_SENTENCE, SENTENCE, COMMA, BLANK)
# Between a heading and its text: only where nothing else is left. Inside an atomic unit: never.
AFTER_HEADING, NEVER = 7, 255

_CLOSING = "”’」』）》】\"')\\]"
_CJK_SENTENCE = re.compile(f"[。！？；…]+[{_CLOSING}]*")
# A list marker (`1. `, `a. `) at the start of a line ends no sentence.
_SENTENCE = re.compile(rf"(?:^|(?<=\n))[ \t]*(?:\d{{1,3}}|[A-Za-z])\.\s|([.!?;]+[{_CLOSING}]*\s+)")
_COMMA = re.compile(r"[，、：]+|[,:]\s+")


def cut_levels(text: str) -> Levels:
    """Level of a cut at each position, shape [len(text) + 1], uint8.

    The levels: blank line, line, `。！？；`, `. ! ? ;` before a blank, `，` `,`, blank, character. A cut
    lies after its separator, so that separators stay in the text; that of a run of blanks lies after the run.
    """
    levels = np.full(len(text) + 1, CHARACTER, dtype=np.uint8)
    if not text:
        return levels
    points = code_points(text)
    blank = blank_mask(points)
    _mark(levels, np.flatnonzero(blank[:-1] & ~blank[1:]) + 1, BLANK)
    for level, pattern, group in ((COMMA, _COMMA, 0), (SENTENCE, _SENTENCE, 1), (CJK_SENTENCE, _CJK_SENTENCE, 0)):
        ends = (found.end(group) for found in pattern.finditer(text))
        _mark(levels, np.fromiter((end for end in ends if end > 0), dtype=np.int64), level)
    newline = points == 10
    _mark(levels, np.flatnonzero(newline) + 1, LINE)
    _mark(levels, np.flatnonzero(newline[:-1] & newline[1:]) + 2, BLANK_LINE)
    return levels


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
    levels[positions] = level
