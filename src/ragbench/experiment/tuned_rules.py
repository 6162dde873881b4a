"""Rules that choose a value: what the best is worth, where it lies, and whether each category needs its own."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.experiment.legs import Evidence, Pairs, asks, exclusion_of, leg_of
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, FEWEST, REFUTED, Checked, Criterion, Reason, all_of
from ragbench.experiment.plan import Cell
from ragbench.experiment.readings import Reading, sign_of
from ragbench.experiment.study import Check
from ragbench.experiment.tuning import Pool, Told, Values, best_interval, category_gains, tuned_gains

TUNED, BY_CATEGORY, FOR_ALL = "tuned", "tuned_by_category", "tuned_for_all"
"""Names of what was chosen, beside those of variants."""


def tuned_gain_at_most(evidence: Evidence, check: Check) -> Checked:
    """The value chosen on other questions gains at most `margin` over `value`."""
    order, value = variants_of(evidence, check), check.variant("value")
    if value not in order:
        order = [name for name in evidence.study.order if name == value or name in order]
    pools = pools_of(evidence, check, order)
    told = tuned_gains(order, value, pools, evidence.seed)
    test = Criterion("at_most", high=check.number("margin"))
    return _told(evidence, check, (TUNED, value), told, test)


def category_gain(evidence: Evidence, check: Check) -> Checked:
    """A value for each category is better, by more than `by`, than one for all; both chosen on other questions."""
    order = variants_of(evidence, check)
    told = category_gains(order, pools_of(evidence, check, order), evidence.seed)
    return _told(evidence, check, (BY_CATEGORY, FOR_ALL), told, Criterion("above", low=check.number("by")))


def best_near(evidence: Evidence, check: Check) -> Checked:
    """The whole interval of the best value lies within `within` of `value`; refuted where it lies outside, undecided
    too where a set that is large enough says the opposite."""
    axis = evidence.study.axis
    pools = pools_of(evidence, check, list(axis))
    found = best_interval(axis, [pool.told for pool in pools], evidence.seed)
    if found is None:
        return Checked(CANNOT_TELL, Reason("nothing_measured"))
    value, within = check.number("value"), check.number("within")
    near = Criterion("between", value - within, value + within)
    by_set = {p.name: one for p in pools if (one := best_interval(axis, [p.told], evidence.seed))}
    facts = {
        "best": found.best,
        "best_low": found.low,
        "best_high": found.high,
        "n": found.n,
        "best_by_set": {name: [one.best, one.low, one.high, one.n] for name, one in by_set.items()},
    }
    if found.n < FEWEST:
        return Checked(CANNOT_TELL, Reason("too_few", {"n": found.n, "fewest": FEWEST}), (), facts)
    outcome = _place(near, found.low, found.high)
    says = {name: _place(near, one.low, one.high) for name, one in by_set.items() if one.n >= FEWEST}
    against = [name for name, one in says.items() if one == REFUTED] if outcome == CONFIRMED else []
    if against:
        agree = ", ".join(name for name, one in says.items() if one == CONFIRMED) or "–"
        return Checked(CANNOT_TELL, Reason("disagree", {"yes": agree, "no": ", ".join(against)}), (), facts)
    return Checked(outcome, Reason("wide" if outcome == CANNOT_TELL else ""), (), facts)


def variants_of(evidence: Evidence, check: Check) -> list[str]:
    """The variants that a check chooses among, in the order of the study."""
    return [name for name in evidence.study.order if not check.among or name in check.among]


def pools_of(evidence: Evidence, check: Check, order: Sequence[str]) -> list[Pool]:
    """The sets of a check on which every variant finished and has values for the questions of its category."""
    return [pool for name in evidence.scope(check) if (pool := pool_of(evidence, name, check, order)) is not None]


def pool_of(evidence: Evidence, name: str, check: Check, order: Sequence[str]) -> Pool | None:
    """The questions of one set that a check is about; None where there are none.

    A set whose questions to choose on are fewer than 20 is halved instead.
    """
    cells = [Cell(name, check.arm, variant) for variant in order]
    runs = [evidence.readings.get(cell) for cell in cells]
    told = _values(order, runs, check)
    if told is None:
        return None
    apart = _values(order, [evidence.tuning.get(cell) for cell in cells], check)
    large = apart is not None and len(next(iter(apart.values()))) >= FEWEST
    sides = [one for one in (*runs, *evidence.tuning.values()) if one is not None]
    categories = {key: value for one in sides for key, value in one.categories.items()}
    return Pool(name, told, apart if large else None, categories)


def _values(order: Sequence[str], runs: Sequence[Reading | None], check: Check) -> Values | None:
    """Values of the questions that all runs have, in the better direction; None for fewer than two of them."""
    metric = check.metrics[0]
    there = [one for one in runs if one is not None and not exclusion_of(one, metric)]
    if len(there) < len(order):
        return None
    columns = [one.columns[metric].values for one in there]
    common = [key for key in columns[0] if all(key in column for column in columns) and asks(check, there[0], key)]
    sign = sign_of(metric)
    if len(common) < 2:
        return None
    return {name: {key: sign * column[key] for key in common} for name, column in zip(order, columns)}


def _told(evidence: Evidence, check: Check, pair: tuple[str, str], told: Told, test: Criterion) -> Checked:
    pairs = []
    for name in evidence.scope(check):
        gains = told.gains.get(name) or {}
        languages = next((one.languages for cell, one in evidence.readings.items() if cell.eval_set == name), {})
        pairs.append(Pairs(name, gains, languages, "" if len(gains) > 1 else "no_pairs"))
    leg = leg_of(pairs, pair, check.metrics[0], test, evidence.seed)
    return all_of([leg], {"chosen": dict(told.chosen)})


def _place(near: Criterion, low: float, high: float) -> str:
    if near.low - 1e-9 <= low and high <= near.high + 1e-9:
        return CONFIRMED
    return REFUTED if high < near.low - 1e-9 or low > near.high + 1e-9 else CANNOT_TELL
