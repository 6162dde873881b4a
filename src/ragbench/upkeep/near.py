"""Pairs of chunks with vectors close to each other, block by block, that nothing keeps apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ragbench.core.workers import Floats
from ragbench.index.vectors import unit_rows
from ragbench.records.document import Chunk
from ragbench.upkeep.guard import Facts, apart, facts, says_all, says_the_same
from ragbench.upkeep.sides import Covered

BLOCK = 1024
_MARGIN = 1e-4
_EXAMPLES = 50


@dataclass(frozen=True, slots=True)
class Near:
    """Two chunks whose vectors are close, and what keeps them apart."""

    one: str
    other: str
    cosine: float
    reason: str


class NearPairs:
    """Finds, among chunks in order of precedence, those that an earlier one stands for.

    At most `BLOCK`² products and 2 · `BLOCK` vectors are in memory. `covered` None: nothing is near to anything. A pair
    counts from a cosine of `cosine` on, computed in float64 for each pair by itself, so that neither the block nor the
    number of threads decides. One stands for another that has the same sentences; with `loose`, also for one whose
    sentences are some of its own.
    """

    def __init__(self, chunks: Sequence[Chunk], covered: Covered | None, cosine: float, loose: bool) -> None:
        self.covered = covered
        self.held_back: Counter[str] = Counter()
        self.examples: list[Near] = []
        self._chunks, self._cosine, self._loose = chunks, cosine, loose
        self._facts = cache(self._read)

    def among(self, order: Sequence[int]) -> dict[int, tuple[int, float | None]]:
        """For each chunk that goes: the first before it in `order` that stays and stands for it, and the cosine."""
        found: dict[int, tuple[int, float | None]] = {}
        if self.covered is None or len(order) < 2:
            return found
        for start in range(0, len(order), BLOCK):
            later = order[start : start + BLOCK]
            rows = unit_rows(self.covered.take(later))
            for begin in range(0, start + 1, BLOCK):
                earlier = order[begin : begin + BLOCK]
                others = rows if begin == start else unit_rows(self.covered.take(earlier))
                for i, j in self._candidates(rows, others, begin == start):
                    number, kept = later[i], earlier[j]
                    if number in found or kept in found:
                        continue
                    score = float(rows[i].astype(np.float64) @ others[j].astype(np.float64))
                    if score >= self._cosine and self._stands_for(kept, number, score):
                        found[number] = (kept, round(score, 4))
        return found

    def _candidates(self, rows: Floats, others: Floats, same: bool) -> Iterator[tuple[int, int]]:
        """Places of pairs that may be near, row by row; in one and the same block only what stands before."""
        close = rows @ others.T >= self._cosine - _MARGIN
        places, counterparts = np.nonzero(np.tril(close, -1) if same else close)
        yield from zip(places.tolist(), counterparts.tolist())

    def _stands_for(self, kept: int, number: int, score: float) -> bool:
        one, other = self._chunks[kept], self._chunks[number]
        if overlap(one, other):
            return False
        mine, theirs = self._facts(kept), self._facts(number)
        enough = says_all if self._loose else says_the_same
        reason = apart(mine, theirs) or ("" if enough(mine, theirs) else "words")
        if reason:
            self.held_back[reason] += 1
            if len(self.examples) < _EXAMPLES:
                self.examples.append(Near(one.chunk_id, other.chunk_id, round(score, 4), reason))
        return not reason

    def _read(self, number: int) -> Facts:
        chunk = self._chunks[number]
        return facts("\n".join((*chunk.headings, chunk.text)))


def overlap(one: Chunk, other: Chunk) -> bool:
    """Whether two chunks share a place of one document, as neighbours of an overlapping splitter do."""
    return one.doc_id == other.doc_id and one.start < other.end and other.start < one.end
