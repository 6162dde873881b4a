"""Terms of texts as numbers, remembered line by line.

The chunk sets of a sweep cut the same lines in different places; a line that was read once is not read again. Terms
never reach across a line break, so a text has the terms of its lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from ragbench.sparse.analyser import ANALYSERS, Analyser

Numbers = NDArray[np.int64]
_LINES = 1 << 15
"""Lines remembered; those used longest ago go first."""


class Lexicon:
    """The terms an analyser has found in this process, numbered in the order in which they came."""

    def __init__(self, analyse: Analyser) -> None:
        self._analyse = analyse
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._line = lru_cache(maxsize=_LINES)(self._read)

    def encode(
        self, texts: Sequence[str], left_out: frozenset[str], notes: dict[str, list[str]] | None = None
    ) -> tuple[Numbers, Numbers, dict[str, int]]:
        """Terms of all texts one after the other without those of `left_out`, how many each text has, and the number of
        each term: from 0 in the order of the terms as strings, which does not depend on what was read before.

        With `notes`, terms of a line are taken from there, and noted there when it was not.
        """
        of_line = self._line if notes is None else cache(partial(self._noted, notes))
        lines = [[of_line(line) for line in text.split("\n") if line] for text in texts]
        lengths = np.array([sum(map(len, of_text)) for of_text in lines], dtype=np.int64)
        found = np.concatenate([np.empty(0, dtype=np.int32), *(line for of_text in lines for line in of_text)])
        here = np.zeros(len(self._numbers), dtype=np.bool_)
        here[found] = True
        here[[number for term in left_out if (number := self._numbers.get(term)) is not None]] = False
        kept = here[found]
        lengths = np.bincount(np.repeat(np.arange(len(texts)), lengths)[kept], minlength=len(texts))
        terms = list(self._numbers)
        vocabulary = sorted(terms[number] for number in np.flatnonzero(here).tolist())
        places = np.zeros(len(here), dtype=np.int64)
        places[[self._numbers[term] for term in vocabulary]] = np.arange(len(vocabulary))
        return places[found[kept]], lengths, {term: place for place, term in enumerate(vocabulary)}

    def _read(self, line: str) -> NDArray[np.int32]:
        return self._numbered(self._analyse(line))

    def _noted(self, notes: dict[str, list[str]], line: str) -> NDArray[np.int32]:
        if line not in notes:
            notes[line] = self._analyse(line)
        return self._numbered(notes[line])

    def _numbered(self, terms: Sequence[str]) -> NDArray[np.int32]:
        return np.fromiter(map(self._numbers.__getitem__, terms), dtype=np.int32, count=len(terms))


@cache
def lexicon(analyser: str) -> Lexicon:
    """The lexicon of an analyser, one a process."""
    return Lexicon(ANALYSERS[analyser])
