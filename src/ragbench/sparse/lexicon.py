"""Terms of texts as numbers, remembered line by line.

The chunk sets of a sweep cut the same lines in different places; a line that was read once is not read again. Terms
never reach across a line break, so a text has the terms of its lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from ragbench.sparse.analyser import ANALYSERS, Analyser, bigram_terms, jieba_terms
from ragbench.sparse.ascii_lines import Occurrences, ascii_terms

Numbers = NDArray[np.int64]
Terms = NDArray[np.int32]
_LINES = 1 << 15
"""Lines remembered; those read longest ago go first."""
_AT_ONCE = 1 << 20
"""Characters read at once."""


class Lexicon:
    """The terms an analyser has found in this process, numbered in the order in which they came. `together` reads many
    lines of ASCII at once, to the same terms."""

    def __init__(self, analyse: Analyser, together: Callable[[Sequence[str]], Occurrences] | None = None) -> None:
        self._analyse, self._together = analyse, together
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._lines: dict[str, Terms] = {}

    def encode(
        self, texts: Sequence[str], left_out: frozenset[str], notes: dict[str, list[str]] | None = None
    ) -> tuple[Numbers, Numbers, dict[str, int]]:
        """Terms of all texts one after the other without those of `left_out`, how many each text has, and the number of
        each term: from 0 in the order of the terms as strings, which does not depend on what was read before.

        With `notes`, terms of a line are taken from there, and noted there when it was not.
        """
        split = [[line for line in text.split("\n") if line] for text in texts]
        distinct = dict.fromkeys(chain.from_iterable(split))
        of_line = self._read(distinct) if notes is None else {line: self._noted(notes, line) for line in distinct}
        lines = [[of_line[line] for line in of_text] for of_text in split]
        lengths = np.array([sum(map(len, of_text)) for of_text in lines], dtype=np.int64)
        found = np.concatenate([np.empty(0, dtype=np.int32), *(line for of_text in lines for line in of_text)])
        here = np.zeros(len(self._numbers), dtype=np.bool_)
        here[found] = True
        if gone := [number for term in left_out if (number := self._numbers.get(term)) is not None]:
            here[gone] = False
            kept = here[found]
            lengths = np.bincount(np.repeat(np.arange(len(texts)), lengths)[kept], minlength=len(texts))
            found = found[kept]
        terms = list(self._numbers)
        vocabulary = sorted(terms[number] for number in np.flatnonzero(here).tolist())
        places = np.zeros(len(here), dtype=np.int64)
        places[[self._numbers[term] for term in vocabulary]] = np.arange(len(vocabulary))
        return places[found], lengths, {term: place for place, term in enumerate(vocabulary)}

    def _read(self, lines: Mapping[str, None]) -> dict[str, Terms]:
        """The terms of each line, read where they are not remembered."""
        found = dict(zip(lines, map(self._lines.get, lines), strict=True))
        new = [line for line, terms in found.items() if terms is None]
        at_once = list(filter(str.isascii, new)) if self._together else []
        for some in _portions(at_once):
            found.update(zip(some, self._read_together(some), strict=True))
        if len(at_once) < len(new):
            found |= {line: self._numbered(self._analyse(line)) for line in new if found[line] is None}
        every: dict[str, Terms] = found  # type: ignore[assignment]  # nothing is missing any more
        self._remember(every)
        return every

    def _remember(self, lines: Mapping[str, Terms]) -> None:
        kept = dict(islice(lines.items(), _LINES))
        before = ((line, terms) for line, terms in self._lines.items() if line not in kept)
        kept.update(islice(before, _LINES - len(kept)))
        self._lines = kept

    def _read_together(self, lines: Sequence[str]) -> list[Terms]:
        assert self._together is not None
        terms, which, places = self._together(lines)
        numbers = self._numbered(terms)[which]
        edges = np.searchsorted(places, np.arange(len(lines) + 1)).tolist()
        return [numbers[low:high] for low, high in pairwise(edges)]

    def _noted(self, notes: dict[str, list[str]], line: str) -> Terms:
        if line not in notes:
            notes[line] = self._analyse(line)
        return self._numbered(notes[line])

    def _numbered(self, terms: Sequence[str]) -> Terms:
        return np.fromiter(map(self._numbers.__getitem__, terms), dtype=np.int32, count=len(terms))


def _portions(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines of `_AT_ONCE` characters together, or a little more."""
    some: list[str] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if size >= _AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


@cache
def lexicon(analyser: str) -> Lexicon:
    """The lexicon of an analyser, one a process. Our own read ASCII alike: only they read lines together."""
    analyse = ANALYSERS[analyser]
    return Lexicon(analyse, ascii_terms if analyse in (bigram_terms, jieba_terms) else None)
