"""Which measure of retrieval tells best what becomes of the answers: rank correlations over variants and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragbench.agreement.resampled import spearman
from ragbench.experiment.legs import Evidence, exclusion_of, leg_found, may_be_shown
from ragbench.experiment.outcome import CANNOT_TELL, Checked, Criterion, Group, all_of
from ragbench.experiment.plan import Cell
from ragbench.experiment.study import Check
from ragbench.stats.bootstrap import resample_counts
from ragbench.stats.paired import Difference

Floats = NDArray[np.float64]

RESAMPLES = 1000
_ROWS = 1 << 21
"""Weights held at once."""


@dataclass(frozen=True)
class _Points:
    """One set: a row a (variant, question) with values of every measure asked, and the place of its question."""

    values: Mapping[str, Floats]
    places: NDArray[np.int64]
    n_questions: int
    excluded: str = ""


def tracks_better(evidence: Evidence, check: Check) -> Checked:
    """The first measure of the list correlates more with `target` than each other one does, by more than `by`.

    Spearman's rank correlation over all variants and questions of a set, mean of the sets; the interval draws whole
    questions, each with all its variants. `facts` hold the correlation of every measure of rankings of the study.
    """
    target, first = check.variant("target"), check.metrics[0]
    ranked = [name for name in evidence.study.metrics if name.startswith(("ranking/", "retrieval/"))]
    names = list(dict.fromkeys([*check.metrics, *ranked]))
    sets = {name: _points(evidence, check, name, [*names, target]) for name in evidence.scope(check)}
    drawn = {name: _correlations(one, names, target, evidence.seed) for name, one in sets.items()}
    test = Criterion("above", low=check.number("by"))
    legs = []
    for other in check.metrics[1:]:
        gains = {name: found[first] - found[other] for name, found in drawn.items() if found}
        groups = [_group(name, gains.get(name), sets[name], test) for name in sets]
        used = [one.name for one in groups if not one.excluded] or list(gains)
        pooled = _difference([gains[name] for name in used], sum(sets[name].n_questions for name in used))
        legs.append(leg_found((first, other), target, test, pooled, (tuple(groups), ())))
    return all_of(legs, {"target": target, "correlations": _told(drawn, sets, names)})


def _points(evidence: Evidence, check: Check, name: str, metrics: Sequence[str]) -> _Points:
    """The rows of one set. A variant that takes no part is left out; a judge below its floor is shown."""
    rows: list[list[float]] = []
    places: list[int] = []
    known: dict[str, int] = {}
    reasons = []
    for variant in check.among or evidence.study.order:
        cell = Cell(name, check.arm, variant)
        reading = evidence.readings.get(cell)
        target = metrics[-1]
        excluded = evidence.absent(cell) or exclusion_of(reading, target)
        reasons.append(excluded)
        if reading is None or not may_be_shown(excluded):
            continue
        columns = [reading.columns[metric].values for metric in metrics]
        for key in columns[-1]:
            if all(key in column for column in columns):
                rows.append([column[key] for column in columns])
                places.append(known.setdefault(key, len(known)))
    table = np.asarray(rows, dtype=np.float64).reshape(len(rows), len(metrics))
    values = {metric: table[:, at] for at, metric in enumerate(metrics)}
    why = next(filter(None, reasons), "") or ("" if len(known) > 1 else "no_pairs")
    return _Points(values, np.asarray(places, dtype=np.int64), len(known), why)


def _correlations(points: _Points, names: Sequence[str], target: str, seed: int) -> dict[str, Floats]:
    """Of each measure its correlation and, behind it, that of each resample; empty without rows."""
    if points.n_questions < 2:
        return {}
    truth, n = points.values[target], len(points.places)
    found: dict[str, list[Floats]] = {name: [spearman(truth, points.values[name], np.ones((1, n)))] for name in names}
    step = max(1, _ROWS // n)
    for block in resample_counts(points.n_questions, RESAMPLES, seed):
        for at in range(0, len(block), step):
            weights = block[at : at + step][:, points.places].astype(np.float64)
            for name in names:
                found[name].append(spearman(truth, points.values[name], weights))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _difference(rows: Sequence[Floats], n: int) -> Difference:
    """The mean over sets with its percentile interval; without a defined value nothing."""
    if not rows:
        return Difference(None, None, None, None, 0)
    mean = np.mean(rows, axis=0)
    drawn = mean[1:][~np.isnan(mean[1:])]
    if np.isnan(mean[0]) or not len(drawn):
        return Difference(None, None, None, None, n)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Difference(round(float(mean[0]), 6), round(float(low), 6), round(float(high), 6), None, n)


def _group(name: str, gains: Floats | None, points: _Points, test: Criterion) -> Group:
    found = _difference([] if gains is None else [gains], points.n_questions)
    return Group(name, found, CANNOT_TELL if points.excluded else test.outcome(found), points.excluded)


def _told(drawn: Mapping[str, Mapping[str, Floats]], sets: Mapping[str, _Points], names: Sequence[str]) -> object:
    """Correlation and interval of each measure over the sets, the largest first."""
    used = [name for name, one in sets.items() if drawn[name] and not one.excluded] or [
        one for one in sets if drawn[one]
    ]
    n = sum(sets[name].n_questions for name in used)
    found = {name: _difference([drawn[one][name] for one in used], n) for name in names}
    means = {name: -2.0 if one.mean is None else one.mean for name, one in found.items()}
    order = sorted(found, key=lambda name: (-means[name], name))
    return {name: [found[name].mean, found[name].low, found[name].high] for name in order}
