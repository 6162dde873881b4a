"""Gold evidence against a whole chunk set: what the chunks keep of it, and which chunks are relevant.

The corpus-wide companion of `align.py`, with the same rules (half-open intervals, non-blank characters, groups with
alternatives, whole documents), vectorised over all questions: 100 000 chunks against 10 000 items take under a second.
Two relevances are told apart. *Set-level*: a group is satisfied by the union of what was retrieved; recall and its kin
read that from `align.Evidence`, and no splitter can change their denominators. *Chunk-level* (`relevant_chunks`): the
grade of a chunk is the number of groups it satisfies alone. It belongs to one frozen chunking and is what trec_eval
works on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragbench.eval_set.align import FULL, ROUNDING, TAU, Placed
from ragbench.eval_set.axis import Axis, Ints
from ragbench.eval_set.items import GoldItem, SpanItems, gold_items
from ragbench.records.document import Document
from ragbench.records.question import Question

T = TypeVar("T")
Grades = dict[int, int]
"""Chunk number → number of evidence groups that the chunk satisfies alone; by ascending number, none with 0."""


class Fate(StrEnum):
    """What a chunk set does to one evidence group."""

    INTACT = "intact"
    """One chunk holds all of one item."""
    SPLIT = "split"
    """No chunk does, but the chunks together cover an item to tau."""
    UNREACHABLE = "unreachable"
    """No item is covered to tau by all chunks together."""
    WHOLE = "whole"
    """The evidence is a whole document that has chunks: there is nothing to cut."""


_RANK = {Fate.UNREACHABLE: 0, Fate.SPLIT: 1, Fate.INTACT: 2, Fate.WHOLE: 3}


@dataclass(frozen=True, slots=True)
class BrokenGroup:
    """An evidence group that no chunk holds whole; `chunks` are the numbers of those that hold a piece of it."""

    question_id: str
    group: str
    fate: Fate
    chunks: tuple[int, ...]


class Alignment:
    """The evidence of an eval set laid over a chunk set; everything is computed when first asked for.

    A chunk's number is its position in `chunks`. Raises DataError for an interval that is empty or outside its
    document.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        chunks: Sequence[Placed],
        documents: Mapping[str, Document],
        tau: float = TAU,
    ) -> None:
        self.questions, self.chunks, self.tau = questions, chunks, tau
        self._first_group = np.cumsum([0, *(len(question.groups) for question in questions)])
        self._items = gold_items(questions, documents)

    @cached_property
    def fates(self) -> list[tuple[Fate, ...]]:
        """For each question, for each of its groups, what the chunk set does to it."""
        fates = [Fate.UNREACHABLE] * int(self._first_group[-1])
        states: list[tuple[int, Fate]] = [(one.group, Fate.WHOLE) for one, _ in self._whole]
        intact = self._axis.intact(self._spans.starts, self._spans.ends)
        for one, kept, reachable in zip(self._spans.items, intact.tolist(), self._reachable.tolist()):
            states.append((one.group, Fate.INTACT if kept else Fate.SPLIT if reachable else Fate.UNREACHABLE))
        for group, state in states:
            if _RANK[state] > _RANK[fates[group]]:
                fates[group] = state
        return self._by_question(fates)

    @cached_property
    def grades(self) -> list[Grades]:
        """For each question the chunks that are relevant by themselves, with the number of groups each satisfies."""
        items, places, weights = self._pairs
        enough = (weights > 0) & (weights >= self.tau * self._spans.totals[items] - ROUNDING)
        groups = [self._spans.groups[items[enough]]]
        numbers = [self._axis.order[places[enough]]]
        for one, (first, last) in self._whole:
            groups.append(np.full(last - first, one.group, dtype=np.int64))
            numbers.append(self._axis.order[first:last])
        n = max(1, len(self.chunks))
        once = np.unique(np.concatenate(groups) * n + np.concatenate(numbers))
        asked = np.searchsorted(self._first_group, once // n, side="right") - 1
        keys, counts = np.unique(asked * n + once % n, return_counts=True)
        grades: list[Grades] = [{} for _ in self.questions]
        for key, count in zip(keys.tolist(), counts.tolist()):
            grades[key // n][key % n] = count
        return grades

    @cached_property
    def pieces(self) -> list[tuple[tuple[int, ...], ...]]:
        """For each question, for each of its groups, the numbers of the chunks that share at least one non-blank
        character with one of its items; whole documents have no pieces."""
        items, places, weights = self._pairs
        some = weights > 0
        n = max(1, len(self.chunks))
        found: list[list[int]] = [[] for _ in range(int(self._first_group[-1]))]
        for key in np.unique(self._spans.groups[items[some]] * n + self._axis.order[places[some]]).tolist():
            found[key // n].append(key % n)
        return self._by_question([tuple(numbers) for numbers in found])

    def broken(self) -> list[BrokenGroup]:
        """The groups that are split or out of reach, in the order of the questions."""
        return [
            BrokenGroup(question.id, group.name, fate, chunks)
            for question, fates, pieces in zip(self.questions, self.fates, self.pieces)
            for group, fate, chunks in zip(question.groups, fates, pieces)
            if fate in (Fate.SPLIT, Fate.UNREACHABLE)
        ]

    def _by_question(self, of_groups: Sequence[T]) -> list[tuple[T, ...]]:
        edges = self._first_group.tolist()
        return [tuple(of_groups[low:high]) for low, high in pairwise(edges)]

    @cached_property
    def _axis(self) -> Axis:
        return Axis.of(self.chunks, [one.item for one in self._items])

    @cached_property
    def _spans(self) -> SpanItems:
        return SpanItems(self._items, self._axis)

    @cached_property
    def _whole(self) -> list[tuple[GoldItem, tuple[int, int]]]:
        """Items that are whole documents with chunks, and the places of these chunks on the axis."""
        whole = [one for one in self._items if one.item.whole]
        bases = np.array([self._axis.base[one.item.doc_id] for one in whole], dtype=np.int64)
        nexts = np.append(np.fromiter(self._axis.base.values(), np.int64), np.iinfo(np.int64).max)
        beyond = nexts[np.searchsorted(nexts, bases, side="right")]
        first, last = (np.searchsorted(self._axis.starts, edges).tolist() for edges in (bases, beyond))
        return [(one, (low, high)) for one, low, high in zip(whole, first, last) if low < high]

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints, Ints]:
        """Items, places of chunks on the axis and shared non-blank characters, of all pairs that meet."""
        axis, spans, none = self._axis, self._spans, np.zeros(0, dtype=np.int64)
        parts = [(none, none, none)]
        for items, places in axis.chunks_meeting(spans.starts, spans.ends):
            parts.append((items, places, spans.weights(items, axis.starts[places], axis.ends[places])))
        items, places, weights = (np.concatenate(column) for column in zip(*parts))
        return items, places, weights

    @cached_property
    def _reachable(self) -> NDArray[np.bool_]:
        """Whether all chunks together cover each span item to tau."""
        axis, spans = self._axis, self._spans
        covered = axis.covered(spans.starts, spans.ends)
        reachable: NDArray[np.bool_] = covered == spans.ends - spans.starts
        partly = np.flatnonzero(~reachable & (covered > 0))
        found = np.zeros(len(partly), dtype=np.int64)
        for at, places in axis.stretches_meeting(spans.starts[partly], spans.ends[partly]):
            np.add.at(found, at, spans.weights(partly[at], axis.low[places], axis.high[places]))
        reachable[partly] = (found > 0) & (found >= min(self.tau, FULL) * spans.totals[partly] - ROUNDING)
        return reachable


def evidence_fates(
    questions: Sequence[Question], chunks: Sequence[Placed], documents: Mapping[str, Document], tau: float = TAU
) -> list[tuple[Fate, ...]]:
    """`Alignment.fates` of an eval set and a chunk set; raises DataError for an interval outside its document."""
    return Alignment(questions, chunks, documents, tau).fates


def relevant_chunks(
    questions: Sequence[Question], chunks: Sequence[Placed], documents: Mapping[str, Document], tau: float = TAU
) -> list[Grades]:
    """For each question the chunks that satisfy a group alone, graded by how many; `Alignment.grades`.

    Evidence that is split so that no chunk alone covers `tau` of it makes no chunk relevant. Raises DataError for an
    interval outside its document.
    """
    return Alignment(questions, chunks, documents, tau).grades
