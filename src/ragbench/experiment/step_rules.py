"""Rules about several variants in a row, the ends of a range, and several measures of one variant."""

from __future__ import annotations

from itertools import pairwise

from ragbench.experiment.legs import Evidence, Pairs, compare, exclusion_of, leg_of
from ragbench.experiment.outcome import Checked, Criterion, Leg, all_of
from ragbench.experiment.plan import Cell
from ragbench.experiment.study import Check


def order(evidence: Evidence, check: Check) -> Checked:
    """Each variant, in the order of the file, is better than the one before it by more than `by`."""
    test = Criterion("above", low=check.number("by"))
    return all_of([compare(evidence, check, pair, check.metrics[0], test) for pair in _steps(evidence, check)])


def steps(evidence: Evidence, check: Check) -> Checked:
    """Each variant gains over the one before it what `gains` says, to a factor of `factor` up and down."""
    factor = check.number("factor")
    legs = []
    for pair, gain in zip(_steps(evidence, check), check.numbers("gains")):
        low, high = sorted((gain / factor, gain * factor))
        legs.append(compare(evidence, check, pair, check.metrics[0], Criterion("between", low, high)))
    return all_of(legs)


def _steps(evidence: Evidence, check: Check) -> list[tuple[str, str]]:
    """Pairs of a variant and the one before it."""
    names = check.among or evidence.study.order
    return [(after, before) for before, after in pairwise(names)]


def beats_both_ends(evidence: Evidence, check: Check) -> Checked:
    """`value` is better than the smallest and than the largest value, by more than `by`."""
    names, value = list(evidence.study.axis), check.variant("value")
    test = Criterion("above", low=check.number("by"))
    ends = [name for name in (names[0], names[-1]) if name != value]
    return all_of([compare(evidence, check, (value, end), check.metrics[0], test) for end in ends])


def flat_around(evidence: Evidence, check: Check) -> Checked:
    """No other variant is better or worse than `value` by more than `margin`."""
    margin, value = check.number("margin"), check.variant("value")
    test = Criterion("between", -margin, margin)
    others = [name for name in check.among or evidence.study.order if name != value]
    return all_of([compare(evidence, check, (name, value), check.metrics[0], test) for name in others])


def rises(evidence: Evidence, check: Check) -> Checked:
    """Each measure of the list is larger than the one before it by more than `by`, in one variant."""
    return all_of(_between_measures(evidence, check, Criterion("above", low=check.number("by"))))


def falls(evidence: Evidence, check: Check) -> Checked:
    """Each measure of the list is smaller than the one before it by more than `by`, in one variant."""
    return all_of(_between_measures(evidence, check, Criterion("below", high=-check.number("by"))))


def _between_measures(evidence: Evidence, check: Check, test: Criterion) -> list[Leg]:
    return [
        leg_of(_pairs(evidence, check, (after, before)), (after, before), after, test, evidence.seed)
        for before, after in pairwise(check.metrics)
    ]


def _pairs(evidence: Evidence, check: Check, metrics: tuple[str, str]) -> list[Pairs]:
    """What the first measure has over the second, by question."""
    found: list[Pairs] = []
    for name in evidence.scope(check):
        reading = evidence.readings.get(Cell(name, check.arm, check.variant("variant")))
        excluded = next((why for metric in metrics if (why := exclusion_of(reading, metric))), "")
        if reading is None or excluded:
            found.append(Pairs(name, {}, {}, excluded))
            continue
        after, before = (reading.columns[metric].values for metric in metrics)
        gains = {key: value - before[key] for key, value in after.items() if key in before}
        found.append(Pairs(name, gains, reading.languages, "" if len(gains) > 1 else "no_pairs"))
    return found
