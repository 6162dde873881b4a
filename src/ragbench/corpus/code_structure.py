"""Definitions in source code: classes and functions with their extent and signature."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragbench.corpus.code_grammars import grammar_definitions
from ragbench.corpus.code_lines import Found
from ragbench.corpus.code_python import python_definitions
from ragbench.corpus.limits import MAX_SOURCE
from ragbench.records.document import Heading

_WORD = re.compile(r"\w")
_CLOSERS = re.compile(r"[\s)\]};,]*")
_MAX_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Definition:
    """`[start, end)` of whole lines: a definition with the decorators and comments that stand directly above it.

    `kind` is `module` (a namespace), `class` (what has members: also interfaces, traits, structs, enums) or `function`;
    `level` counts from 1 at the top; `signature` is what stands before the body, on one line.
    """

    start: int
    end: int
    kind: str
    level: int
    signature: str


@dataclass(frozen=True, slots=True)
class CodeStructure:
    """The definitions in order of start, and what kept the parser from finding them all (empty: nothing).

    Functions inside functions are not told: they are part of what the outer one does.
    """

    definitions: tuple[Definition, ...]
    warning: str = ""


def code_structure(text: str, language: str) -> CodeStructure | None:
    """The definitions of normalised source code; None where no parser for the language is installed.

    Python is read by `ast`, other languages by tree-sitter grammars (the extra `code`). Python with a syntax error has
    no definitions and a warning; a grammar finds what lies around the error. Source
    of more than two million characters has none either, and a warning. A definition that begins on a line where
    another one begins is not told apart from it.
    """
    if len(text) > MAX_SOURCE:
        return CodeStructure((), f"no definitions: source of more than {MAX_SOURCE} characters")
    found = python_definitions(text) if language == "python" else grammar_definitions(text, language)
    return found and CodeStructure(tuple(_by_offsets(text, found[0])), found[1])


def code_outline(text: str, definitions: Sequence[Definition]) -> tuple[Heading, ...]:
    """A heading for each definition, and an untitled one where text follows that belongs to no definition.

    The untitled heading has the level of the definition that ended, and so closes it. What holds no word (`}`) is
    left to the definition before it. Levels beyond 6 count as 6.
    """
    outline: list[Heading] = []
    opened: list[Definition] = []
    for following in [*definitions, None]:
        start = following.start if following else len(text)
        while opened and opened[-1].end <= start:
            closed = opened.pop()
            until = min(start, opened[-1].end) if opened else start
            outline += _untitled(text, closed, until)
        if following:
            outline.append(Heading(start, min(following.level, _MAX_LEVEL), following.signature))
            opened.append(following)
    return tuple(outline)


def _untitled(text: str, closed: Definition, until: int) -> Iterator[Heading]:
    if not _WORD.search(text, closed.end, until):
        return
    found = _CLOSERS.match(text, closed.end, until)
    first = found.end() if found else closed.end
    yield Heading(max(text.rfind("\n", 0, first) + 1, closed.end), min(closed.level, _MAX_LEVEL), "")


def _by_offsets(text: str, found: Iterable[Found]) -> Iterator[Definition]:
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    starts = [0, *(np.flatnonzero(points == ord("\n")) + 1).tolist(), len(text)]
    opened: list[Found] = []
    taken = -1
    for one in found:
        while opened and opened[-1].level >= one.level:
            taken = max(taken, opened.pop().last)
        first = max(one.first, taken + 1)
        if first > one.last or (opened and first <= opened[-1].first):
            continue
        opened.append(Found(first, one.last, one.kind, one.level, one.signature))
        end = starts[min(one.last + 1, len(starts) - 1)]
        yield Definition(starts[first], end, one.kind, one.level, one.signature)
