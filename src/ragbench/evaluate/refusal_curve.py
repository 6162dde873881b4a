"""False answers against false refusals at every threshold of a score that a refusal acts on."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.generator.messages import LOW_RELEVANCE
from ragbench.generator.policy import REASONS
from ragbench.measure.case import Case
from ragbench.records.question import Question
from ragbench.records.trace import Trace

MOST_POINTS = 200
"""Thresholds that are kept of one curve: above it, evenly by rank."""

ALWAYS = -math.inf
"""Stands for the score of a question that no threshold answers: it was refused for another reason."""


@dataclass(frozen=True, slots=True)
class Swept:
    """A score whose thresholds are told: its `name`, the `key` of the variant's own threshold, how the score of a trace
    is read (None: it has none), and which reasons of refusals no threshold of it would change."""

    name: str
    key: str
    read: Callable[[Trace], float | None]
    apart: Callable[[str], bool]


def _confidence(trace: Trace) -> float | None:
    return trace.answer.confidence if trace.answer is not None else None


def _best_relevance(trace: Trace) -> float | None:
    """Relevance of the best block, in [0, 1]; 0 without any. None where a block tells none."""
    blocks = [block for block in trace.context.blocks if block.text.strip()] if trace.context is not None else []
    values = [-math.inf if block.relevance is None else block.relevance for block in blocks]
    return max(values, default=0.0) if all(0 <= value <= 1 for value in values) else None


CONFIDENCE = Swept("confidence", "pipeline.generator.refuse_below", _confidence, lambda reason: reason in REASONS)
"""The probability that the context answers, as an answer tells it."""

BEST_RELEVANCE = Swept(
    "best_relevance", "pipeline.generator.min_max", _best_relevance, lambda reason: reason != LOW_RELEVANCE
)
"""The calibrated relevance of the best block; only where the reranker's scores are probabilities."""


@dataclass(frozen=True, slots=True)
class Told:
    """A question's score, in [0, 1] or `ALWAYS`, and whether it is answerable."""

    relevance: float
    answerable: bool


class RefusalCurves:
    """Records cases as they are scored; `tell` gives the content of `refusal` in summary.json, for `BEST_RELEVANCE`
    that of `refusal_by_relevance`."""

    def __init__(self, questions: Sequence[Question], swept: Swept = CONFIDENCE) -> None:
        self._questions, self._swept = questions, swept
        self._told: dict[int, Told] = {}

    def add(self, row: int, case: Case) -> None:
        """Note a question; one without a score (a model's answer tells none, a question back, no answer) is left
        out."""
        relevance = self._relevance(case.trace)
        if relevance is not None:
            self._told[row] = Told(relevance, self._questions[row].answerable)

    def _relevance(self, trace: Trace | None) -> float | None:
        if trace is None or trace.answer is None or trace.answer.clarifies:
            return None
        value, answer = self._swept.read(trace), trace.answer
        return ALWAYS if value is not None and answer.refused and self._swept.apart(answer.reason) else value

    def tell(self, threshold: float | None) -> dict[str, Any] | None:
        """The curve of all questions and of each category; `threshold` is the variant's own (None: it has none).

        None where no question, or none that is unanswerable, told a score: nothing can be answered falsely then.
        """
        if all(one.answerable for one in self._told.values()):
            return None
        by_category: dict[str, list[Told]] = {}
        for row in sorted(self._told):
            by_category.setdefault(self._questions[row].category, []).append(self._told[row])
        return {
            "score": self._swept.name,
            "key": self._swept.key,
            "threshold": threshold,
            "left_out": len(self._questions) - len(self._told),
            **curve(self._told.values(), threshold),
            "by_category": {name: curve(told, threshold) for name, told in sorted(by_category.items())},
        }


def curve(told: Iterable[Told], threshold: float | None) -> dict[str, Any]:
    """`n_answerable`, `n_unanswerable`, `auroc`, `chosen` and `points` of some questions.

    A point is `[threshold, false_answer, false_refusal]`: the share of unanswerable questions with a relevance of at
    least the threshold, and that of answerable ones below it, both in [0, 1]; null where there are no such questions.
    Thresholds are 0, every relevance that occurs and 1, at most `MOST_POINTS`, evenly by rank, of more. `chosen` is the
    point of `threshold`; null without one. `auroc` is the probability that an answerable question has more relevance
    than an unanswerable one, ties half (Mann-Whitney); null without both kinds.
    """
    every = list(told)
    yes = sorted(one.relevance for one in every if one.answerable)
    no = sorted(one.relevance for one in every if not one.answerable)
    thresholds = sorted({0.0, 1.0} | {one.relevance for one in every if one.relevance != ALWAYS})
    if len(thresholds) > MOST_POINTS:
        step = (len(thresholds) - 1) / (MOST_POINTS - 1)
        thresholds = [thresholds[round(step * at)] for at in range(MOST_POINTS)]
    return {
        "n_answerable": len(yes),
        "n_unanswerable": len(no),
        "auroc": auroc(yes, no),
        "chosen": None if threshold is None else _point(threshold, yes, no),
        "points": [_point(one, yes, no) for one in thresholds],
    }


def auroc(yes: Sequence[float], no: Sequence[float]) -> float | None:
    """Area under the ROC curve from sorted relevances of answerable and unanswerable questions, in [0, 1]; None where
    one of them is empty."""
    if not yes or not no:
        return None
    won = sum(_below(one, no) + 0.5 * (_below(one, no, equal=True) - _below(one, no)) for one in yes)
    return round(won / (len(yes) * len(no)), 6)


def points_at(points: Sequence[Sequence[float | None]], thresholds: Sequence[float]) -> list[Sequence[float | None]]:
    """The point in force at each threshold: what holds from a threshold up to the next larger point's is its rate.

    A threshold between two points refuses what the upper one refuses.
    """
    return [next((one for one in points if (one[0] or 0.0) >= at), points[-1]) for at in thresholds]


def _point(threshold: float, yes: Sequence[float], no: Sequence[float]) -> list[float | None]:
    false_answer = 1 - _below(threshold, no) / len(no) if no else None
    false_refusal = _below(threshold, yes) / len(yes) if yes else None
    return [threshold, *(None if rate is None else round(rate, 6) for rate in (false_answer, false_refusal))]


def _below(value: float, ordered: Sequence[float], equal: bool = False) -> int:
    return (bisect_right if equal else bisect_left)(ordered, value)
