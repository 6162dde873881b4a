"""The sentences of a document, the over-long ones in parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import pairwise
from typing import NamedTuple

from ragbench.splitter.fenced import fenced
from ragbench.splitter.length import Ruler
from ragbench.splitter.trim import drop_blanks, skip_blanks
from ragbench.splitter.word_borders import word_borders
from ragbench.text.sentences import each_sentence

_FENCE_MARK = re.compile(r"^ {0,3}(?:`{3,}|~{3,})", re.MULTILINE)
_COMMA = re.compile(r"(?:[，、；：。！？]+[”’」』）》】]*|[,;:|](?=\s))\s*")
_LINE = re.compile(r"\n+")
_SIGN = re.compile(r"(?<![-._/'’@:&+#…])[-._/'’@:&+#…]++(?=\w)")
# A sentence wrapped over more lines than this is a list of records without full stops.
_MOST_WRAPPED = 10

Borders = Callable[[str], Iterable[int]]


class Piece(NamedTuple):
    """`[start, end)` without blanks at its ends: a whole sentence or a part of one; a heading is a sentence."""

    start: int
    end: int
    whole: bool
    heading: bool


def sentence_pieces(text: str, ruler: Ruler, size: int) -> Iterator[Piece]:
    """Sentences of up to `size` units and the parts of longer ones, in order; they hold every visible character.

    Parts end at commas, then at line breaks, between words, at signs inside a long word (`/`), at last anywhere; at
    line breaks first in a code fence and in a list of many lines. A rule (`---`) counts as a sentence, a fence that is
    never closed is no fence. Linear in the text's length.
    """
    for start, end, kind in _tiles(text):
        end = drop_blanks(text, start, end)
        start = skip_blanks(text, start, end)
        if start == end:
            continue
        if ruler.length(start, end) <= size:
            yield Piece(start, end, True, kind == "heading")
            continue
        steps: tuple[Borders, ...] = (_commas, _lines, word_borders, _signs)
        if kind == "code" or text.count("\n", start, end) > _MOST_WRAPPED:
            steps = (_lines, _commas, word_borders, _signs)
        parts = _parts(text, ruler, size, _cut(text, ruler, size, [(start, end)], steps))
        yield from (Piece(low, high, False, False) for low, high in parts)


def _tiles(text: str) -> Iterator[tuple[int, int, str]]:
    """Intervals that hold a sentence each, or what stands between two; together they are the whole text."""
    fences = fenced(text)
    found = ((one.start, one.end, one.kind) for one in each_sentence(_without_fences(text, fences)))
    code = ((start, end, "code") for start, end in fences)
    position = 0
    for start, end, kind in _without_cut_words(text, merge(found, code) if fences else found):
        yield position, start, "rule"
        yield start, end, kind
        position = end
    yield position, len(text), "rule"


def _without_cut_words(text: str, found: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """The intervals, two that share a word (`HL_…_FILE`) as one."""
    held: tuple[int, int, str] | None = None
    for start, end, kind in found:
        if held is not None and start == held[1] and _is_latin(text[start - 1]) and _is_latin(text[start]):
            start = held[0]
        elif held is not None:
            yield held
        held = (start, end, kind)
    if held is not None:
        yield held


def _is_latin(char: str) -> bool:
    return char < "\u2e80" and (char.isalnum() or char == "_")


def _without_fences(text: str, fences: list[tuple[int, int]]) -> str:
    """The text with blank lines for its closed fences, and marks that open nothing for those of the others."""
    kept, position = [], 0
    for start, end in fences:
        kept += [text[position:start], "\n" * (end - start)]
        position = end
    rest = "".join([*kept, text[position:]])
    return _FENCE_MARK.sub(lambda mark: "'" * len(mark[0]), rest)


def _cut(
    text: str, ruler: Ruler, size: int, spans: list[tuple[int, int]], steps: tuple[Borders, ...]
) -> list[tuple[int, int]]:
    """The spans, those longer than the size cut at the borders of the first step, and so on."""
    for borders in steps:
        finer: list[tuple[int, int]] = []
        for start, end in spans:
            if ruler.length(start, drop_blanks(text, start, end)) <= size:
                finer.append((start, end))
                continue
            cuts = [start, *(start + cut for cut in borders(text[start:end]) if 0 < cut < end - start), end]
            finer += pairwise(cuts)
        spans = finer
    return spans


def _parts(text: str, ruler: Ruler, size: int, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans without outer blanks, those still longer than the size in equal parts."""
    for start, end in spans:
        end = drop_blanks(text, start, end)
        start = skip_blanks(text, start, end)
        units = ruler.units_before(start), ruler.units_before(end)
        cuts = [start, *(ruler.offset(unit) for unit in range(units[0] + size, units[1], size)), end]
        for low, high in pairwise(cuts):
            high = drop_blanks(text, low, high)
            low = skip_blanks(text, low, high)
            if low < high:
                yield low, high


def _commas(text: str) -> Iterator[int]:
    return (found.end() for found in _COMMA.finditer(text))


def _lines(text: str) -> Iterator[int]:
    return (found.end() for found in _LINE.finditer(text))


def _signs(text: str) -> Iterator[int]:
    return (found.end() for found in _SIGN.finditer(text))
