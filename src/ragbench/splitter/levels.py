"""How good a cut would be at each position of a text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ragbench.corpus.structure import Block
from ragbench.splitter.sign_runs import SignRuns, sign_runs, stretches

Levels = NDArray[np.uint8]

# From coarse to fine; a cut of level l at position p parts `text[:p]` from `text[p:]` after a separator of that kind.
BLANK_LINE, LINE, CJK_SENTENCE, SENTENCE, COMMA, BLANK, CHARACTER = range(7)
NATURAL = (BLANK_LINE, LINE, CJK_SENTENCE, SENTENCE, COMMA, BLANK)
# Between a heading and its text: only where nothing else is left. Inside an atomic unit: never.
AFTER_HEADING, NEVER = 7, 255

_STRETCH = 1 << 18


def cut_levels(text: str) -> Levels:
    """Level of a cut at each position, shape [len(text) + 1], uint8; of several separators there the coarsest counts.

    The levels: blank line, line, `。！？；`, `. ! ? ;` before a blank, `，` `,`, blank, character. A cut
    lies after its separator, so that separators stay in the text; that of a run of blanks lies after the run. A stretch
    of the text at a time, so that memory beside the levels does not grow with it.
    """
    levels = np.full(len(text) + 1, CHARACTER, dtype=np.uint8)
    for start, end in stretches(text, _STRETCH):
        runs = sign_runs(text[start:end])
        part = levels[start : end + 1]
        # From fine to coarse, so that the coarsest is what stays.
        part[runs.blanks] = BLANK
        part[runs.commas] = COMMA
        part[runs.cjk_commas] = COMMA
        part[_sentence_ends(text, start, runs)] = SENTENCE
        part[runs.cjk_stops] = CJK_SENTENCE
        part[runs.lines] = LINE
        part[runs.blank_lines] = BLANK_LINE
    return levels


def _sentence_ends(text: str, start: int, runs: SignRuns) -> NDArray[np.int64]:
    """Where `. ! ? ;` and the blanks behind end; a list marker (`1. `, `a. `) that opens a line ends no sentence."""
    kept = np.ones(len(runs.stops), dtype=np.bool_)
    # A marker is a letter by itself or a number, so that most stops need not be looked at.
    doubtful = np.flatnonzero(~runs.in_word)
    for number, at in zip(doubtful.tolist(), (runs.stops_begin[doubtful] + start).tolist()):
        kept[number] = not (text[at] == "." and text[at + 1].isspace() and _is_marker(text, at))
    return runs.stops[kept]


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
