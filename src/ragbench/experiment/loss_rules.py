"""Rules about questions that one variant lost: how many of them another one gets right."""

from __future__ import annotations

from ragbench.experiment.legs import Evidence, Pairs, asks, exclusion, leg_of, may_be_shown
from ragbench.experiment.outcome import Checked, Criterion, all_of
from ragbench.experiment.plan import Cell
from ragbench.experiment.study import Check


def repaired_between(evidence: Evidence, check: Check) -> Checked:
    """Of the questions whose value is 0 in `b`, the mean in `a` lies between `low` and `high`; sets have one vote each.

    With an oracle for `a` that is the share of losses that end where the layers it replaces are perfect.
    """
    pair = (check.variant("a"), check.variant("b"))
    found = [_repaired(evidence, check, name, pair) for name in evidence.scope(check)]
    test = Criterion("between", check.number("low"), check.number("high"))
    return all_of([leg_of(found, pair, check.metrics[0], test, evidence.seed)])


def _repaired(evidence: Evidence, check: Check, name: str, pair: tuple[str, str]) -> Pairs:
    cells = [Cell(name, check.arm, variant) for variant in pair]
    a, b = (evidence.readings.get(cell) for cell in cells)
    metric = check.metrics[0]
    excluded = evidence.absent(*cells) or exclusion(a, b, metric)
    if a is None or b is None or not may_be_shown(excluded):
        return Pairs(name, {}, {}, excluded)
    after = a.columns[metric].values
    lost = [key for key, value in b.columns[metric].values.items() if value == 0 and asks(check, b, key)]
    values = {key: after[key] for key in lost if key in after}
    return Pairs(name, values, b.languages, excluded or ("" if len(values) > 1 else "no_pairs"))
