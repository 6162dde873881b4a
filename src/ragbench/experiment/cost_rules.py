"""Rules about what a gain costs in calls of models, and about a variant's own figures."""

from __future__ import annotations

from itertools import pairwise

from ragbench.experiment.legs import Evidence, Pairs, asks, exclusion, exclusion_of, leg_of, may_be_shown
from ragbench.experiment.outcome import Checked, Criterion, all_of
from ragbench.experiment.plan import Cell
from ragbench.experiment.readings import Reading, sign_of
from ragbench.experiment.study import Check

CALLS = "cost/query_calls"
PER_CALL = "per_call/"
"""Stands before the measure of a leg whose gains are divided by calls."""


def order_per_call(evidence: Evidence, check: Check) -> Checked:
    """By gain over `over` for each call of a model a question makes, every variant beats the one before it by more than
    `by`.

    The mean number of calls of a variant on a set is taken as it is; the interval is that of the questions' gains. A
    variant that makes no call has no gain per call: the set takes no part.
    """
    names = check.among or tuple(name for name in evidence.study.order if name != check.variant("over"))
    test = Criterion("above", low=check.number("by"))
    metric = check.metrics[0]
    legs = []
    for before, after in pairwise(names):
        found = [_per_call(evidence, check, name, (after, before)) for name in evidence.scope(check)]
        legs.append(leg_of(found, (after, before), PER_CALL + metric, test, evidence.seed))
    return all_of(legs)


def mean_between(evidence: Evidence, check: Check) -> Checked:
    """The mean of a measure in one variant lies between `low` and `high`; sets have one vote each."""
    variant, metric = check.variant("variant"), check.metrics[0]
    found = []
    for name in evidence.scope(check):
        cell = Cell(name, check.arm, variant)
        reading = evidence.readings.get(cell)
        excluded = evidence.absent(cell) or exclusion_of(reading, metric)
        if reading is None or not may_be_shown(excluded):
            found.append(Pairs(name, {}, {}, excluded))
            continue
        values = {key: value for key, value in reading.columns[metric].values.items() if asks(check, reading, key)}
        found.append(Pairs(name, values, reading.languages, excluded or ("" if len(values) > 1 else "no_pairs")))
    test = Criterion("between", check.number("low"), check.number("high"))
    return all_of([leg_of(found, (variant, ""), metric, test, evidence.seed)])


def _per_call(evidence: Evidence, check: Check, name: str, pair: tuple[str, str]) -> Pairs:
    """What the first variant gains per call more than the second, by question."""
    metric = check.metrics[0]
    cells = [Cell(name, check.arm, variant) for variant in (*pair, check.variant("over"))]
    readings = [evidence.readings.get(cell) for cell in cells]
    excluded = evidence.absent(*cells)
    for one in readings[:2]:
        excluded = excluded or exclusion(one, readings[2], metric)
    there = [one for one in readings if one is not None]
    if not excluded and not all(_calls(one) for one in there[:2]):
        excluded = "no_calls"
    if excluded or len(there) < 3:
        return Pairs(name, {}, {}, excluded)
    left, right, plain = there
    scale = sign_of(metric)
    values = [one.columns[metric].values for one in there]
    gains = {
        key: scale * ((values[0][key] - base) / _calls(left) - (values[1][key] - base) / _calls(right))
        for key, base in values[2].items()
        if key in values[0] and key in values[1] and asks(check, plain, key)
    }
    return Pairs(name, gains, plain.languages, "" if len(gains) > 1 else "no_pairs")


def _calls(reading: Reading) -> float:
    """Mean calls a question."""
    values = reading.columns[CALLS].values
    return sum(values.values()) / len(values) if values else 0.0
