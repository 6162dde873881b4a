"""Comparing two variants over several eval sets: which sets take part, the pooled gain, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragbench.compare.usable import unusable
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, FEWEST, REFUTED, Criterion, Group, Leg, Reason
from ragbench.experiment.plan import Cell
from ragbench.experiment.readings import Reading, sign_of
from ragbench.experiment.study import QUERY_TIMING, TIMING, Check, Study
from ragbench.experiment.timing import Timing
from ragbench.stats.paired import Difference, paired_difference, pooled_difference
from ragbench.stats.ratios import log_ratio_of

CEILING_MEASURE = "answer/faithfulness"


@dataclass(frozen=True)
class Evidence:
    """All that the checks of a study read; `sets` are the names of the sets that were run, in order.

    `tuning` are runs on the questions that values are chosen on, of sets that have some apart. `query_ms` are
    milliseconds by question. `unavailable` are cells whose model is not on this machine, `unrecorded` those of a replay
    that lacks recordings, with what it lacks; both take no part. `cards` are those of the cells' judges, where a check
    reads them.
    """

    study: Study
    sets: Sequence[str]
    readings: Mapping[Cell, Reading]
    timings: Mapping[Cell, Timing]
    seed: int
    tuning: Mapping[Cell, Reading] = field(default_factory=dict)
    query_ms: Mapping[Cell, Mapping[str, float]] = field(default_factory=dict)
    unavailable: Mapping[Cell, str] = field(default_factory=dict)
    unrecorded: Mapping[Cell, str] = field(default_factory=dict)
    cards: Mapping[Cell, Mapping[str, Any] | None] = field(default_factory=dict)

    def absent(self, *cells: Cell) -> str:
        """Why one of these cells takes no part at all; empty: they all do."""
        for why, gone in (("unavailable", self.unavailable), ("unrecorded", self.unrecorded)):
            if any(cell in gone for cell in cells):
                return why
        return ""

    def scope(self, check: Check) -> list[str]:
        """The sets that a check is about."""
        return [name for name in self.sets if not check.sets or name in check.sets]


@dataclass(frozen=True)
class Pairs:
    """The pairs of one set: gain by subject; `excluded` is why none may decide, though some may be there to show."""

    eval_set: str
    gains: Mapping[str, float]
    languages: Mapping[str, str]
    excluded: str = ""


def pairs_of(evidence: Evidence, cells: tuple[Cell, Cell], metric: str, percent: float = 0.0) -> Pairs:
    """Gains of one cell over another of the same set, by subject that has a value in both.

    With `percent` the gain is that over `b` improved by so much: it is above 0 where `a` is better by more.
    """
    name = cells[0].eval_set
    a, b = (evidence.readings.get(cell) for cell in cells)
    excluded = evidence.absent(*cells) or exclusion(a, b, metric)
    if a is None or b is None or not may_be_shown(excluded):
        return Pairs(name, {}, {}, excluded)
    sign = sign_of(metric)
    left, right = a.columns[metric].values, b.columns[metric].values
    scale = 1 + sign * percent / 100
    gains = {key: sign * (value - right[key] * scale) for key, value in left.items() if key in right}
    return Pairs(name, gains, a.languages, excluded or ("" if len(gains) > 1 else "no_pairs"))


def may_be_shown(excluded: str) -> bool:
    """Whether figures are told beside the reason why they decide nothing: those of a judge below its floor are."""
    return excluded in ("", "judge_below")


def exclusion(a: Reading | None, b: Reading | None, metric: str) -> str:
    """Why two runs say nothing about a measure; empty where they do."""
    if a is None or b is None:
        return "failed"
    if a.run_id == b.run_id or (a.rest, a.chunks) == (b.rest, b.chunks):
        return "identical"
    unusable = exclusion_of(a, metric) or exclusion_of(b, metric)
    if unusable:
        return unusable
    if metric == CEILING_MEASURE and a.columns[metric].saturated and b.columns[metric].saturated:
        return "saturated"
    return ""


def exclusion_of(reading: Reading | None, metric: str) -> str:
    """Why one run says nothing about a measure; see `compare.usable`."""
    return "failed" if reading is None else unusable(reading.summary, metric)


def compare(
    evidence: Evidence, check: Check, pair: tuple[str, str], metric: str, test: Criterion, percent: float = 0.0
) -> Leg:
    """One leg of a check: the two variants on every set of its scope."""
    cells = [(Cell(name, check.arm, pair[0]), Cell(name, check.arm, pair[1])) for name in evidence.scope(check)]
    found = [_asked(evidence, check, pairs_of(evidence, both, metric, percent)) for both in cells]
    return leg_of(found, pair, metric, test, evidence.seed)


def _asked(evidence: Evidence, check: Check, pairs: Pairs) -> Pairs:
    """The pairs whose questions a check is about."""
    if not may_be_shown(pairs.excluded) or not check.questions:
        return pairs
    own = next(one for cell, one in evidence.readings.items() if cell.eval_set == pairs.eval_set)
    gains = {key: gain for key, gain in pairs.gains.items() if asks(check, own, key)}
    return replace(pairs, gains=gains, excluded=pairs.excluded or ("" if len(gains) > 1 else "no_pairs"))


def asks(check: Check, reading: Reading, key: str) -> bool:
    """Whether a check is about a question of a run."""
    return all(reading.facet(name).get(key) == value for name, value in check.questions.items())


def leg_of(found: Sequence[Pairs], pair: tuple[str, str], metric: str, test: Criterion, seed: int) -> Leg:
    """The leg that pairs of several sets make, pooled with one vote a set: of those that decide, else of those that are
    shown."""
    used = [one for one in found if not one.excluded] or [one for one in found if one.gains]
    pooled = pooled_difference([list(one.gains.values()) for one in used], seed)
    sets = tuple(_group(one, paired_difference(list(one.gains.values()), seed), test) for one in found)
    languages = tuple(
        Group(name, one, test.outcome(one))
        for name in sorted({one.languages[key] for one in used for key in one.gains if key in one.languages})
        if (one := pooled_difference([_of_language(pairs, name) for pairs in used], seed)).n
    )
    return leg_found(pair, metric, test, pooled, (sets, languages))


def compare_ratio(evidence: Evidence, check: Check, pair: tuple[str, str], test: Criterion) -> Leg:
    """One leg that asks for the ratio of two means or percentiles; figures are natural logarithms of it."""
    metric, percentile = check.metrics[0], check.number("percentile")
    groups, used = [], []
    for name in evidence.scope(check):
        cells = [Cell(name, check.arm, variant) for variant in pair]
        both, excluded = _costs(evidence, check, cells, metric)
        found = log_ratio_of([both] if both else [], evidence.seed, percentile=percentile)
        groups.append(Group(name, found, CANNOT_TELL if excluded else test.outcome(found), excluded))
        used += [both] if both else []
    pooled = log_ratio_of(used, evidence.seed, percentile=percentile)
    fewest = 2 if metric == TIMING else FEWEST
    return leg_found(pair, metric, test, pooled, (tuple(groups), ()), fewest)


def _costs(
    evidence: Evidence, check: Check, cells: Sequence[Cell], metric: str
) -> tuple[tuple[list[float], list[float]] | None, str]:
    """Values of the subjects that have one in both cells, or none and the reason."""
    if absent := evidence.absent(*cells):
        return None, absent
    columns = [_column(evidence, cell, metric) for cell in cells]
    own = evidence.readings.get(cells[0])
    keys = [key for key in columns[0] if key in columns[1]]
    if check.questions:
        keys = [key for key in keys if own is not None and asks(check, own, key)]
    if not keys:
        return None, "failed"
    excluded = (
        ""
        if metric.startswith("timing/")
        else exclusion(evidence.readings.get(cells[0]), evidence.readings.get(cells[1]), metric)
    )
    both = [columns[0][key] for key in keys], [columns[1][key] for key in keys]
    return (None, excluded) if excluded else (both, "")


def _column(evidence: Evidence, cell: Cell, metric: str) -> Mapping[str, float]:
    """Values by subject; none where the cell has none."""
    if metric == TIMING:
        timing = evidence.timings.get(cell)
        return dict(zip(timing.documents, timing.ms)) if timing else {}
    if metric == QUERY_TIMING:
        return evidence.query_ms.get(cell, {})
    reading = evidence.readings.get(cell)
    return reading.columns[metric].values if reading else {}


def _group(pairs: Pairs, found: Difference, test: Criterion) -> Group:
    return Group(pairs.eval_set, found, CANNOT_TELL if pairs.excluded else test.outcome(found), pairs.excluded)


def _of_language(pairs: Pairs, language: str) -> list[float]:
    return [gain for key, gain in pairs.gains.items() if pairs.languages.get(key) == language]


def leg_found(
    pair: tuple[str, str],
    metric: str,
    test: Criterion,
    pooled: Difference,
    groups: tuple[tuple[Group, ...], tuple[Group, ...]],
    fewest: int = FEWEST,
) -> Leg:
    """The leg with its outcome: that of the pooled interval, unless a set or language that is large enough says the
    opposite."""
    sets, languages = groups
    outcome, reason = test.outcome(pooled), Reason()
    large = [one for one in (*sets, *languages) if not one.excluded and one.found.n >= fewest]
    if not any(not one.excluded for one in sets):
        code = next((one.excluded for one in sets), "nothing_measured")
        outcome, reason = CANNOT_TELL, Reason(code)
    elif pooled.n < fewest:
        outcome, reason = CANNOT_TELL, Reason("too_few", {"n": pooled.n, "fewest": fewest})
    else:
        says = {result: [one.name for one in large if one.outcome == result] for result in (CONFIRMED, REFUTED)}
        against = {CONFIRMED: REFUTED, REFUTED: CONFIRMED}.get(outcome, "")
        if (against and says[against]) or (not against and says[CONFIRMED] and says[REFUTED]):
            values = {"yes": ", ".join(says[CONFIRMED] or ["–"]), "no": ", ".join(says[REFUTED] or ["–"])}
            outcome, reason = CANNOT_TELL, Reason("disagree", values)
        elif outcome == CANNOT_TELL:
            reason = Reason("straddles")
    return Leg(pair[0], pair[1], metric, test, pooled, sets, languages, outcome, reason)


def log_bounds(low: float, high: float) -> Criterion:
    """The test that a ratio lies between two bounds."""
    return Criterion("within", math.log(low), math.log(high))
