"""From the runs of a study to experiment.json: differences, curves, trade-offs, checks and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from ragbench.compare.columns import family_of
from ragbench.compare.table import differing_keys
from ragbench.core.rows import to_row
from ragbench.experiment.best_values import best_values
from ragbench.experiment.contrasts import contrasts, trade_offs
from ragbench.experiment.legs import Evidence
from ragbench.experiment.outcome import CANNOT_TELL, CONFIRMED, REFUTED, Checked
from ragbench.experiment.plan import Cell
from ragbench.experiment.readings import Reading
from ragbench.experiment.rules import columns_of, decide, has_curve
from ragbench.experiment.sets import MissingSet
from ragbench.experiment.study import QUESTION_FACETS, Study, is_derived
from ragbench.findings.knee import find_knee
from ragbench.stats.quantile import quantiles

Found = dict[str, Any]


def analyse(evidence: Evidence, missing: Sequence[MissingSet]) -> Found:
    """The content of experiment.json; without readings every check ends as `cannot_tell`."""
    study, readings = evidence.study, evidence.readings
    checked = [decide(evidence, check) for check in study.checks]
    rows = contrasts(evidence)
    return {
        "experiment": study.name,
        "claim": dict(study.claim),
        "key": study.key,
        "ordered": bool(study.axis),
        "base": dict(study.base),
        "arms": {name: dict(one) for name, one in study.arms.items()},
        "variants": {name: dict(study.variants[name]) for name in study.order},
        "baseline": study.baseline,
        "metrics": list(study.metrics),
        "seed": evidence.seed,
        "sets": [facts for name in evidence.sets if (facts := _set_facts(name, readings))],
        "missing": [to_row(one) for one in missing],
        "unavailable": [{"set": c.eval_set, "variant": c.variant, "model": m} for c, m in evidence.unavailable.items()],
        "unrecorded": [{"set": c.eval_set, "variant": c.variant, "lacks": m} for c, m in evidence.unrecorded.items()],
        "points": [_point(cell, reading, evidence) for cell, reading in readings.items()],
        "differing": list(differing_keys([one.summary["variant"] for one in readings.values()])),
        "overlap": _overlaps(study, readings),
        "contrasts": rows,
        "trade_offs": trade_offs(rows),
        "knees": _knees(evidence) if study.axis and not study.tunes else [],
        "best": best_values(evidence),
        "checks": [_check(number, study, found) for number, found in enumerate(checked)],
        "verdict": verdict(checked),
    }


def verdict(checked: Sequence[Checked]) -> str:
    """Confirmed when every part of the claim is, refuted when any part is."""
    outcomes = {one.outcome for one in checked}
    if REFUTED in outcomes:
        return REFUTED
    return CONFIRMED if outcomes == {CONFIRMED} else CANNOT_TELL


def _set_facts(name: str, readings: Mapping[Cell, Reading]) -> Found:
    reading = next((one for cell, one in readings.items() if cell.eval_set == name), None)
    if reading is None:
        return {}
    counts: dict[str, int] = {}
    for language in reading.languages.values():
        counts[language] = counts.get(language, 0) + 1
    facts = reading.summary["eval_set"]
    return {
        "name": name,
        "version": facts.get("version"),
        "lock": facts.get("lock"),
        "split": facts.get("split"),
        "questions": facts.get("questions"),
        "n_questions": len(reading.languages),
        "languages": dict(sorted(counts.items())),
    }


def _point(cell: Cell, reading: Reading, evidence: Evidence) -> Found:
    timing, query_ms = evidence.timings.get(cell), list(evidence.query_ms.get(cell, {}).values())
    metrics = reading.summary.get("metrics") or {}
    measured = {name: column for name, column in reading.columns.items() if not is_derived(name)}
    fields = {key: value for key, value in reading.splitter.items() if not isinstance(value, Mapping)}
    return {
        "set": cell.eval_set,
        "arm": cell.arm,
        "variant": cell.variant,
        "run_id": reading.run_id,
        "choices": dict(reading.summary["variant"]),
        "splitter": fields | {"overlap": reading.overlap},
        "n_chunks": reading.n_chunks,
        "chunks_key": reading.chunks_key,
        "chunks": reading.chunks,
        "health": list(reading.summary.get("health") or ()),
        "saturated": [name for name, column in measured.items() if _bounded(name) and column.saturated],
        "metrics": {name: metrics[name] for name in measured if name in metrics} | _derived(reading, evidence.study),
        "split_ms": None if timing is None else round(timing.ms_per_unit, 3),
        "query_ms": {name: round(value, 3) for name, value in quantiles(query_ms).items()},
    }


def _derived(reading: Reading, study: Study) -> Found:
    """Means of what checks read beside measures; none of an empty column."""
    asked = dict.fromkeys(name for check in study.checks for name in check.metrics if name in reading.columns)
    columns = {name: reading.columns[name].values for name in asked if is_derived(name)}
    return {name: {"mean": fmean(values.values()), "n": len(values)} for name, values in columns.items() if values}


def _bounded(metric: str) -> bool:
    return family_of(metric).higher_is_better and family_of(metric).bounds == (0.0, 1.0)


def _overlaps(study: Study, readings: Mapping[Cell, Reading]) -> list[Found]:
    """Resolved overlaps by arm, and whether they are one for all variants; empty where overlap is what is varied."""
    if study.key == "overlap":
        return []
    found = []
    for arm in study.arms:
        values = {
            cell.variant: reading.overlap
            for cell, reading in readings.items()
            if cell.arm == arm and cell.eval_set == next(iter(readings)).eval_set
        }
        if values:
            found.append({"arm": arm, "held": len(set(values.values())) == 1, "values": values})
    return found


def _knees(evidence: Evidence) -> list[Found]:
    """The knee of each measure on each set and arm, for the curves."""
    order = list(evidence.study.axis)
    found = []
    for name in evidence.sets:
        for arm in evidence.study.arms:
            if not has_curve(evidence.readings, name, arm, order):
                continue
            for metric in evidence.study.metrics:
                knee = find_knee(order, [columns_of(evidence.readings, name, arm, metric)], evidence.seed)
                if knee is not None:
                    p = {variant: round(value, 6) for variant, value in knee.p.items()}
                    place = {"set": name, "arm": arm, "metric": metric}
                    found.append(place | {"best": knee.best, "knee": knee.knee, "p": p, "n": knee.n})
    return found


def _check(number: int, study: Study, found: Checked) -> Found:
    check = study.checks[number]
    return {
        "rule": check.rule,
        "metrics": list(check.metrics),
        "options": dict(check.options),
        "among": list(check.among or study.order),
        **{name: getattr(check, name) for name in QUESTION_FACETS},
        "arm": check.arm,
        "sets": list(check.sets),
        "says": dict(check.says),
        "outcome": found.outcome,
        "reason": to_row(found.reason),
        "legs": [to_row(leg) for leg in found.legs],
        "facts": to_row(found.facts),
    }
