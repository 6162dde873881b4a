"""Means with intervals and counts, overall and by every facet of the questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ragbench.core.recent import Recent
from ragbench.errors import DataError
from ragbench.evaluate.table import FAILED, NOT_APPLICABLE, SCORED, ScoreBlock, ScoreTable
from ragbench.records.question import Question
from ragbench.records.score import Aggregate
from ragbench.stats.bootstrap import RESAMPLES, mean_intervals

SMALL = 5
"""A category with fewer questions is shown but marked."""

SATURATED_SHARE = 0.95

FACETS: Mapping[str, Callable[[Question], str]] = {
    "category": lambda question: question.category,
    "difficulty": lambda question: question.difficulty,
    "language": lambda question: question.language,
    "answerability": lambda question: "answerable" if question.answerable else "unanswerable",
    "split": lambda question: question.split,
    "turn": lambda question: "follow_up" if question.history else "first_turn",
}

Aggregates = dict[str, Aggregate]
_INTERVALS: Recent[tuple[NDArray[np.float64], NDArray[np.float64]]] = Recent(1 << 16)
"""Intervals by the scores they are of."""


@dataclass(frozen=True, eq=False)
class Summary:
    """Aggregates of a run.

    `overall` holds every measure; `by[facet][value]` the measures of questions. `macro` is the unweighted mean over the
    categories that scored a measure (None: none did). `counts[facet][value]` is the number of questions, `small` the
    categories with fewer than five.
    """

    overall: Aggregates
    by: Mapping[str, Mapping[str, Aggregates]]
    macro: Mapping[str, float | None]
    counts: Mapping[str, Mapping[str, int]]
    small: tuple[str, ...]


def summarise(table: ScoreTable, questions: Sequence[Question], *, seed: int, resamples: int = RESAMPLES) -> Summary:
    """Aggregate a table whose question subjects are `questions`, in that order; raises DataError where they are not."""
    block = table.questions
    if block.subjects != tuple(question.id for question in questions):
        raise DataError("score table", expected="the questions of the eval set in their order", found="other subjects")
    overall: Aggregates = {}
    known: dict[bytes, Aggregates] = {}
    for one in table.blocks.values():
        rows = np.ones(len(one.subjects), dtype=bool)
        found = aggregate(one, rows, seed=seed, resamples=resamples)
        overall.update(found)
        if one is block:
            known[rows.tobytes()] = found
    by: dict[str, dict[str, Aggregates]] = {}
    counts: dict[str, dict[str, int]] = {}
    for facet, of in FACETS.items():
        labels = np.array([of(question) for question in questions], dtype=object)
        by[facet], counts[facet] = {}, {}
        for value in sorted(set(labels.tolist())):
            rows = labels == value
            key = rows.tobytes()
            if key not in known:
                known[key] = aggregate(block, rows, seed=seed, resamples=resamples)
            by[facet][value] = known[key]
            counts[facet][value] = int(rows.sum())
    names = [measure.name for measure in block.measures]
    macro = {name: _macro([one[name] for one in by["category"].values()]) for name in names}
    small = tuple(value for value, n in counts["category"].items() if n < SMALL)
    return Summary(overall, by, macro, counts, small)


def aggregate(block: ScoreBlock, rows: NDArray[np.bool_], *, seed: int, resamples: int = RESAMPLES) -> Aggregates:
    """Aggregate of every measure of a block over the subjects of `rows` (a mask [subjects])."""
    values, status = block.values[rows], block.status[rows]
    scored = status == SCORED
    lows, highs = _bounds(block, values, scored, (seed, resamples))
    n_scored, n_na, n_failed = ((status == code).sum(axis=0).tolist() for code in (SCORED, NOT_APPLICABLE, FAILED))
    summed = np.where(scored, values, 0.0).sum(axis=0)
    totals = summed.tolist()
    means = (summed / np.maximum(1, scored.sum(axis=0))).tolist()
    result: Aggregates = {}
    for at, measure in enumerate(block.measures):
        some = n_scored[at] > 0
        result[measure.name] = Aggregate(
            mean=means[at] if some else None,
            low=lows[at] if some else None,
            high=highs[at] if some else None,
            n_scored=n_scored[at],
            n_na=n_na[at],
            n_failed=n_failed[at],
            pessimistic=_pessimistic(totals[at], n_scored[at], n_failed[at], measure.worst),
        )
    return result


def _bounds(
    block: ScoreBlock, values: NDArray[np.float64], scored: NDArray[np.bool_], how: tuple[int, int]
) -> tuple[list[float], list[float]]:
    """Ends of the interval of each column, NaN for one that is scored nowhere.

    Groups of columns are resampled apart. Variants that agree in a group of scores, and layers that do, share the
    result; which columns are in a product of matrices never depends on what is known already, so that bits do not.
    """
    low, high = np.full((2, values.shape[1]), np.nan)
    filled = np.where(scored, values, 0.0)
    anywhere: list[bool] = np.logical_or.reduce(scored, axis=0).tolist()
    for group in block.groups:
        columns = [at for at in group if anywhere[at]]
        if not columns:
            continue
        some = np.ascontiguousarray(filled[:, columns])
        mask = np.ascontiguousarray(scored[:, columns])
        key = (*how, some.shape, blake2b(some.tobytes() + mask.tobytes(), digest_size=32).digest())
        found = _INTERVALS.get(key)
        if found is None:
            made = mean_intervals(some, mask, how[0], resamples=how[1])
            found = _INTERVALS.put(key, (made.low, made.high), len(columns))
        low[columns], high[columns] = found
    return low.tolist(), high.tolist()


def is_saturated(block: ScoreBlock, name: str) -> bool:
    """Whether at least 95 % of what was scored stands at 1.0, so that no difference can show; False for nothing
    scored."""
    column = block.column(name)
    values = block.values[block.status[:, column] == SCORED, column]
    return len(values) > 0 and float(np.mean(values >= 1.0)) >= SATURATED_SHARE


def _pessimistic(total: float, n_scored: int, n_failed: int, worst: float | None) -> float | None:
    """Mean with FAILED at the worst value; None for nothing, and where a failed cell has no worst value."""
    n = n_scored + n_failed
    if n == 0 or (n_failed and worst is None):
        return None
    return (total + n_failed * (worst or 0.0)) / n


def _macro(aggregates: Sequence[Aggregate]) -> float | None:
    means = [one.mean for one in aggregates if one.mean is not None]
    return sum(means) / len(means) if means else None
