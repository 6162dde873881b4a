"""Scoring the questions of a block, with what is known beforehand written at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragbench.core.recent import Recent
from ragbench.evaluate.table import CODES, SCORED, ScoreBlock
from ragbench.measure.base import Finding, Measure, Population, Reach
from ragbench.measure.case import Case
from ragbench.measure.gold import Gold
from ragbench.records.score import Status
from ragbench.records.trace import Trace, TraceStep

_CODE = {status: code for code, status in enumerate(CODES)}
Columns = Sequence[int]


class Cells(NamedTuple):
    """Some cells of a row: their columns, values (NaN: none), codes of status, and the words of those that have any."""

    columns: NDArray[np.intp]
    values: NDArray[np.float64]
    codes: NDArray[np.uint8]
    notes: Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a sound trace of a question is scored: cells that no trace changes, columns of the question over the chunk
    set alone, columns of what query understanding said, columns read off the ranking before reranking alone, columns
    read off the final one (of which `twins` are equal to some of the former where the rankings are), and all others."""

    settled: Cells
    chunks: Columns
    query: Columns
    fused: Columns
    final: Columns
    twins: Mapping[int, int]
    others: Columns


class Filling:
    """Fills rows of a block of questions.

    Columns of reach `FUSED`, and without a reranker those of `RERANKED`, are scored once for each ranking: variants
    that differ in what comes after it, such as k, take them over, found again by the very objects that were scored.
    Those that `chunks/` measures read of no trace are scored once a question; those of `query/`, of a question that is
    searched as typed, once for what was said of it.
    """

    def __init__(self, block: ScoreBlock) -> None:
        self.block = block
        self._plans: dict[tuple[tuple[Population, ...], frozenset[Reach]], _Plan] = {}
        self._names = tuple(one.name for one in block.measures)
        self._known: tuple[Gold, Recent[Any]] | None = None

    def fill(self, row: int, case: Case) -> None:
        """Score one question: write its row of the block."""
        if case.trace is None or case.trace.error is not None:
            self._write(row, case, [_cells(self.block.measures, range(len(self.block.measures)), case)])
            return
        plan = self._plan(case)
        step = case.trace.steps[-1] if case.trace.steps else TraceStep()
        chunks = self._kept(("chunks", case.row), None, plan.chunks, case)
        query = self._of_query(plan.query, case, case.trace)
        fused = self._once("fused", step, case, lambda: [self._asked(plan.fused, case)])
        if step.reranked is step.fused:
            final = self._once("final", step, case, lambda: self._final(plan, fused[0], case))
        else:
            final = self._final(plan, fused[0], case)
        self._write(row, case, [plan.settled, chunks, query, *fused, *final, self._asked(plan.others, case)])

    def _plan(self, case: Case) -> _Plan:
        kind = (case.outside, case.stages)
        found = self._plans.get(kind)
        if found is None:
            found = self._plans[kind] = self._made(case)
        return found

    def _made(self, case: Case) -> _Plan:
        measures = self.block.measures
        blocked = {at: finding for at, one in enumerate(measures) if (finding := one.blocked(case)) is not None}
        active = [at for at in range(len(measures)) if at not in blocked]
        fused = [at for at in active if measures[at].reach is Reach.FUSED]
        twins = {late: early for late, early in self.block.twins.items() if late in active and early in fused}
        final = [at for at in active if measures[at].reach is Reach.RERANKED]
        rest = [at for at in active if measures[at].reach not in (Reach.FUSED, Reach.RERANKED)]
        chunks = [at for at in rest if measures[at].layer == "chunks" and measures[at].reach is Reach.NOTHING]
        query = [at for at in rest if measures[at].layer == "query"]
        others = [at for at in rest if at not in chunks and at not in query]
        twins = {late: early for late, early in twins.items() if late in final}
        return _Plan(_of(list(blocked), list(blocked.values())), chunks, query, fused, final, twins, others)

    def _memory(self, case: Case) -> Recent[Any]:
        """Cells that were scored for other variants."""
        if self._known is None or self._known[0] is not case.gold:
            self._known = case.gold, case.gold.scored(self._names)
        return self._known[1]

    def _of_query(self, columns: Columns, case: Case, trace: Trace) -> Cells:
        """Columns of query understanding: of a question that is searched as typed they depend on nothing else."""
        if trace.untransformed is not None or trace.likeness is not None:
            return self._asked(columns, case)
        return self._kept(("query", case.row, case.stages, id(trace.query)), trace.query, columns, case)

    def _kept(self, key: Hashable, of: Any, columns: Columns, case: Case) -> Cells:
        """Cells that were scored once for `of`, whose identity is in the key."""
        known = self._memory(case)
        found: tuple[Any, Cells] | None = known.get(key)
        if found is None:
            found = known.put(key, (of, self._asked(columns, case)))
        return found[1]

    def _once(self, part: str, step: TraceStep, case: Case, score: Callable[[], list[Cells]]) -> list[Cells]:
        """What `score` gives, or gave for the very same step."""
        known = self._memory(case)
        key = (part, case.row, case.stages, id(step.fused))
        found = known.get(key)
        if found is None or not _same(found[0], step):
            found = (step, score())
            known.put(key, found)
        cells: list[Cells] = found[1]
        return cells

    def _final(self, plan: _Plan, fused: Cells, case: Case) -> list[Cells]:
        """Cells read off the final ranking."""
        if not plan.twins or case.reranked is not case.fused:
            return [self._asked(plan.final, case)]
        own = [column for column in plan.final if column not in plan.twins]
        return [_copied(fused, plan.twins), self._asked(own, case)]

    def _asked(self, columns: Columns, case: Case) -> Cells:
        """Cells that nothing stands against."""
        values: list[float | None] = []
        codes: list[int] = []
        notes: list[tuple[int, str]] = []
        measures = self.block.measures
        for column in columns:
            outcome = measures[column].outcome(case)
            if isinstance(outcome, Finding):
                values.append(outcome.value)
                codes.append(_CODE[outcome.status])
                if outcome.evidence:
                    notes.append((column, sys.intern(outcome.evidence)))
            else:
                values.append(outcome)
                codes.append(SCORED)
        return Cells(_places(tuple(columns)), np.array(values, np.float64), np.array(codes, np.uint8), notes)

    def _write(self, row: int, case: Case, parts: Sequence[Cells]) -> None:
        values, codes, notes = self.block.values[row], self.block.status[row], self.block.notes
        for part in parts:
            values[part.columns], codes[part.columns] = part.values, part.codes
            for column, words in part.notes:
                notes[row, column] = words
        if case.judge:
            for column, measure in enumerate(self.block.measures):
                if measure.judged and CODES[codes[column]] is not Status.NOT_APPLICABLE:
                    self.block.judges[row, column] = case.judge


def _same(one: TraceStep, other: TraceStep) -> bool:
    """Whether two steps are the same up to the fused ranking."""
    if one is other:
        return True
    lists = one.route_lists is other.route_lists or (
        len(one.route_lists) == len(other.route_lists)
        and all(mine is theirs for mine, theirs in zip(one.route_lists, other.route_lists, strict=True))
    )
    return (
        one.fused is other.fused
        and lists
        and one.more == other.more
        and one.deeper == other.deeper
        and (one.requests is other.requests or one.requests == other.requests)
    )


@lru_cache(maxsize=256)
def _places(columns: tuple[int, ...]) -> NDArray[np.intp]:
    return np.array(columns, dtype=np.intp)


def _cells(measures: Sequence[Measure], columns: Columns, case: Case) -> Cells:
    return _of(columns, [measures[column].find(case) for column in columns])


def _of(columns: Columns, findings: Sequence[Finding]) -> Cells:
    return Cells(
        np.array(columns, dtype=np.intp),
        np.array([finding.value for finding in findings], dtype=np.float64),
        np.array([_CODE[finding.status] for finding in findings], dtype=np.uint8),
        # most say one of a few things
        [(at, sys.intern(finding.evidence)) for at, finding in zip(columns, findings, strict=True) if finding.evidence],
    )


def _copied(cells: Cells, twins: Mapping[int, int]) -> Cells:
    """The cells of other columns that are equal to some of these; `twins` maps them."""
    place = {column: at for at, column in enumerate(cells.columns.tolist())}
    words = dict(cells.notes)
    places = [place[early] for early in twins.values()]
    return Cells(
        np.array(list(twins), dtype=np.intp),
        cells.values[places],
        cells.codes[places],
        [(late, words[early]) for late, early in twins.items() if early in words],
    )
