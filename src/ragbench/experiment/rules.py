"""The rules by which a check is decided; `forms.FORMS` says what an experiment file tells each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ragbench.experiment import cost_rules, judge_rules, loss_rules, step_rules, tuned_rules, validity_rules
from ragbench.experiment.legs import Evidence, compare, compare_ratio, log_bounds
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED, Checked, Criterion, Leg, Reason, all_of
from ragbench.experiment.plan import Cell
from ragbench.experiment.readings import Reading, sign_of
from ragbench.experiment.study import Check
from ragbench.findings.knee import Knee, find_knee


def decide(evidence: Evidence, check: Check) -> Checked:
    """The outcome of one check.

    Where a model it needs did not run, or was replaced, the comparisons are made and shown and nothing is decided.
    """
    found = RULES[check.rule](evidence, check)
    lacking = _lacking(evidence, check)
    return Checked(CANNOT_TELL, lacking, found.legs, found.facts) if lacking else found


def _lacking(evidence: Evidence, check: Check) -> Reason | None:
    scope = set(evidence.scope(check))
    runs = [one for cell, one in evidence.readings.items() if cell.arm == check.arm and cell.eval_set in scope]
    for needs in (check.needs, evidence.study.needs):
        for slot, options in needs.items():
            chosen = {str(one.summary["variant"].get(slot)) for one in runs}
            asked = chosen - {"none"} if slot == "llm" else chosen  # a variant that asks no model has none
            ran = sorted((asked or chosen) - set(options))
            if ran:
                return Reason("needs_model", {"slot": slot, "options": " | ".join(options), "ran": ", ".join(ran)})
    replaced = list(dict.fromkeys(text for one in runs for text in one.summary.get("fallback") or ()))
    return Reason("replaced", {"what": ", ".join(replaced)}) if replaced else None


def _one(evidence: Evidence, check: Check, test: Criterion) -> Checked:
    pair = (check.variant("a"), check.variant("b"))
    percent = check.number("percent") if "percent" in check.options else 0.0
    return all_of([compare(evidence, check, pair, check.metrics[0], test, percent)])


def _better_than(evidence: Evidence, check: Check) -> Checked:
    return _one(evidence, check, Criterion("above", low=check.number("by")))


def _not_worse_than(evidence: Evidence, check: Check) -> Checked:
    return _one(evidence, check, Criterion("at_least", low=-check.number("margin")))


def _gain_at_most(evidence: Evidence, check: Check) -> Checked:
    return _one(evidence, check, Criterion("at_most", high=check.number("margin")))


def _ratio(evidence: Evidence, check: Check) -> Checked:
    pair = (check.variant("a"), check.variant("b"))
    return all_of([compare_ratio(evidence, check, pair, log_bounds(check.number("low"), check.number("high")))])


def _no_gain_above(evidence: Evidence, check: Check) -> Checked:
    order = list(evidence.study.axis)
    value = check.variant("value")
    test = Criterion("at_most", high=check.number("margin"))
    above = order[order.index(value) + 1 :]
    return all_of([compare(evidence, check, (name, value), check.metrics[0], test) for name in above])


def _knee(evidence: Evidence, check: Check) -> Checked:
    """A knee inside the range: the smallest value is behind the best, and from the knee on no more than `margin` is
    left. Refuted where the curve is flat from the start, or still rises at its end."""
    order, metric = list(evidence.study.axis), check.metrics[0]
    found = pooled_knee(evidence, check, metric)
    if found is None:
        return Checked(CANNOT_TELL, Reason(_why_no_curve(evidence, check)))
    facts = {"best": found.best, "knee": found.knee, "p": dict(found.p), "n": found.n}
    left = Criterion("at_most", high=check.number("margin"))
    if found.knee == order[0]:
        if found.best == order[0]:
            legs = [compare(evidence, check, (name, order[0]), metric, left) for name in order[1:]]
        else:
            legs = [compare(evidence, check, (found.best, order[0]), metric, left)]
        flat = all_of(legs, facts)
        if flat.outcome == CONFIRMED:
            return Checked(REFUTED, Reason("flat", {"margin": check.number("margin")}), flat.legs, facts)
        return Checked(CANNOT_TELL, Reason("no_rise"), flat.legs, facts)
    rise = compare(evidence, check, (found.best, order[0]), metric, Criterion("above"))
    if found.knee == order[-1]:
        outcome = REFUTED if rise.outcome == CONFIRMED else CANNOT_TELL
        why = Reason("still_rising", {"value": order[-1]}) if outcome == REFUTED else rise.reason
        return Checked(outcome, why, (rise,), facts)
    if found.knee == found.best:
        return all_of([rise], facts)
    return all_of([rise, compare(evidence, check, (found.best, found.knee), metric, left)], facts)


def _best_differs(evidence: Evidence, check: Check) -> Checked:
    """The best value by one measure is not the best by another: each is better than the other by its own measure.
    Refuted where the best by the first is, within `margin`, as good as any by the second."""
    first, second = check.metrics
    best = {metric: best_by(evidence, check, metric) for metric in check.metrics}
    facts = {"best_by": best}
    one, two = best[first], best[second]
    if one is None or two is None:
        return Checked(CANNOT_TELL, Reason("nothing_measured"), (), facts)
    near = Criterion("at_most", high=check.number("margin"))
    if one == two:
        others = [name for name in evidence.study.order if name != one]
        legs = [compare(evidence, check, (name, one), second, near) for name in others]
        same = all_of(legs, facts)
        outcome = REFUTED if same.outcome == CONFIRMED else CANNOT_TELL
        return Checked(outcome, same.reason if outcome == CANNOT_TELL else Reason(), same.legs, facts)
    legs = [
        compare(evidence, check, (one, two), first, Criterion("above")),
        compare(evidence, check, (two, one), second, Criterion("above")),
    ]
    if all(leg.outcome == CONFIRMED for leg in legs):
        return all_of(legs, facts)
    good_enough = compare(evidence, check, (two, one), second, near)
    if good_enough.outcome == CONFIRMED:
        return Checked(REFUTED, Reason(), (*legs, good_enough), facts)
    return Checked(CANNOT_TELL, _first_reason(legs), tuple(legs), facts)


def _first_reason(legs: Sequence[Leg]) -> Reason:
    return next((leg.reason for leg in legs if leg.reason.code), Reason("straddles"))


def best_by(evidence: Evidence, check: Check, metric: str) -> str | None:
    """The variant with the best mean over the sets of a check; ties go to the smaller value."""
    found = pooled_knee(evidence, check, metric)
    return None if found is None else found.best


def pooled_knee(evidence: Evidence, check: Check, metric: str) -> Knee | None:
    """The knee over all sets of a check whose variants are at least three different runs."""
    order = list(evidence.study.order)
    sets = [
        columns_of(evidence.readings, name, check.arm, metric)
        for name in evidence.scope(check)
        if has_curve(evidence.readings, name, check.arm, order)
    ]
    return find_knee(order, sets, evidence.seed)


def has_curve(readings: Mapping[Cell, Reading], name: str, arm: str, order: Sequence[str]) -> bool:
    """Whether every value finished on a set and gave at least three different chunk sets or pipelines."""
    runs = [readings.get(Cell(name, arm, variant)) for variant in order]
    return None not in runs and len({(run.chunks, run.rest) for run in runs if run}) >= 3


def _why_no_curve(evidence: Evidence, check: Check) -> str:
    order = list(evidence.study.order)
    complete = [
        name for name in evidence.scope(check) if all(Cell(name, check.arm, v) in evidence.readings for v in order)
    ]
    return "identical" if complete else "nothing_measured"


def columns_of(readings: Mapping[Cell, Reading], name: str, arm: str, metric: str) -> dict[str, dict[str, float]]:
    """Values of one set by variant and subject, in the better direction."""
    sign = sign_of(metric)
    return {
        cell.variant: {key: sign * value for key, value in reading.columns[metric].values.items()}
        for cell, reading in readings.items()
        if cell.eval_set == name and cell.arm == arm
    }


RULES: Mapping[str, Callable[[Evidence, Check], Checked]] = {
    "better_than": _better_than,
    "not_worse_than": _not_worse_than,
    "gain_at_most": _gain_at_most,
    "no_gain_above": _no_gain_above,
    "knee": _knee,
    "best_differs": _best_differs,
    "ratio": _ratio,
    "order": step_rules.order,
    "steps": step_rules.steps,
    "rises": step_rules.rises,
    "falls": step_rules.falls,
    "order_per_call": cost_rules.order_per_call,
    "mean_between": cost_rules.mean_between,
    "repaired_between": loss_rules.repaired_between,
    "tracks_better": validity_rules.tracks_better,
    "agrees": judge_rules.agrees,
    "beats_both_ends": step_rules.beats_both_ends,
    "flat_around": step_rules.flat_around,
    "tuned_gain_at_most": tuned_rules.tuned_gain_at_most,
    "best_near": tuned_rules.best_near,
    "category_gain": tuned_rules.category_gain,
}
