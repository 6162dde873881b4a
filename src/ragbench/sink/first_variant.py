"""What a variant changes against the first one of its sweep, paired by question: overall and in each category."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ragbench.compare.headline import HEADLINE, headline
from ragbench.compare.table import higher_is_better, judged, subject_of
from ragbench.eval_set.chosen import asked_of
from ragbench.run_dir.read import RunDir
from ragbench.stats.paired import Difference, paired_differences

SEED = 0
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Scored:
    """A run's summary, its headline scores by measure and question, and category and text of each question."""

    run_id: str
    summary: Mapping[str, Any]
    values: Mapping[str, Mapping[str, float]]
    categories: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """One measure in one category (empty: all questions): both means over the paired questions and their difference.

    `verdict` is `better`, `worse`, or empty where the 95 % interval of the paired difference holds 0 or is not known.
    """

    measure: str
    category: str
    first: float
    own: float
    difference: Difference
    verdict: str


def read_scored(run: RunDir) -> Scored:
    """Read what a comparison needs of a run; failed and n/a cells are left out."""
    wanted = set(HEADLINE)
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for row in run.scores():
        if row.get("kind", "question") == "question" and row["measure"] in wanted and row.get("status") == "scored":
            values[row["measure"]][subject_of(row)] = float(row["value"])
    categories = {question.id: question.category for question in run.questions.values()}
    texts = {question.id: question.question for question in run.questions.values()}
    return Scored(run.run_id, run.summary, dict(values), categories, texts)


def comparable(first: Scored, own: Scored) -> bool:
    """Whether both were asked the same questions of one locked eval set."""
    sets = [one.summary.get("eval_set") or {} for one in (first, own)]
    return sets[0].get("lock") == sets[1].get("lock") and asked_of(sets[0]) == asked_of(sets[1])


def changes(first: Scored, own: Scored) -> list[Change]:
    """Changes of every headline measure that both have, all questions before the categories; none where the two cannot
    be compared. Judged measures are left out where the judges differ."""
    if not comparable(first, own):
        return []
    same_judge = (first.summary.get("judge") or {}) == (own.summary.get("judge") or {})
    names = [
        name
        for name in headline([first.summary, own.summary])
        if name in first.values and name in own.values and (same_judge or not judged(name))
    ]
    groups = {"": list(own.categories)}
    for question_id, category in own.categories.items():
        groups.setdefault(category, []).append(question_id)
    return [change for category, ids in groups.items() for change in _of_group(first, own, names, category, ids)]


def _of_group(first: Scored, own: Scored, names: Sequence[str], category: str, ids: Sequence[str]) -> list[Change]:
    """Measures scored on the same questions share one draw of resamples."""
    pairs = {name: tuple(one for one in ids if one in first.values[name] and one in own.values[name]) for name in names}
    together: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, paired in pairs.items():
        if paired:
            together[paired].append(name)
    found: dict[str, Change] = {}
    for paired, measures in together.items():
        before = np.array([[first.values[name][one] for name in measures] for one in paired])
        after = np.array([[own.values[name][one] for name in measures] for one in paired])
        rows = paired_differences(after - before, SEED, resamples=RESAMPLES)
        for at, (name, difference) in enumerate(zip(measures, rows)):
            means = float(before[:, at].mean()), float(after[:, at].mean())
            found[name] = Change(name, category, *means, difference, _verdict(name, difference))
    return [found[name] for name in names if name in found]


def _verdict(measure: str, difference: Difference) -> str:
    low, high = difference.low, difference.high
    if low is None or high is None or low <= 0 <= high:
        return ""
    return "better" if (low > 0) == higher_is_better(measure) else "worse"
