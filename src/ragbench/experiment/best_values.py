"""The best value of what is varied, by set and category: where it lies, and what choosing it is worth."""

from __future__ import annotations

from typing import Any

from ragbench.experiment.legs import Evidence
from ragbench.experiment.outcome import FEWEST
from ragbench.experiment.study import TUNED_RULES, Check
from ragbench.experiment.tuned_rules import pool_of
from ragbench.experiment.tuning import Pool, best_interval, tuned_gains
from ragbench.stats.paired import paired_difference

Row = dict[str, Any]


def best_values(evidence: Evidence) -> list[Row]:
    """A row for each set, arm, measure and category (empty: all questions), of studies over numbers that choose.

    `best`, `low`, `high` say where the best lies; `gain` is that of the value chosen on other questions over the
    baseline. `says` is `better` or `worse` where the interval of the gain excludes 0, `too_few` under 20 questions,
    else `cannot_tell`.
    """
    study = evidence.study
    if not study.axis:
        return []
    metrics = dict.fromkeys(m for check in study.checks if check.rule in TUNED_RULES for m in check.metrics)
    rows = []
    for name in evidence.sets:
        for arm in study.arms:
            for metric in metrics:
                for category in ("", *_categories(evidence, name, arm)):
                    asked = Check("tuned_gain_at_most", (metric,), {}, arm, category=category)
                    pool = pool_of(evidence, name, asked, list(study.axis))
                    if pool is not None and (row := _row(evidence, pool)):
                        rows.append({"set": name, "arm": arm, "metric": metric, "category": category} | row)
    return rows


def _categories(evidence: Evidence, name: str, arm: str) -> list[str]:
    """Categories of the questions of a set; none where there is but one."""
    run = next((one for cell, one in evidence.readings.items() if (cell.eval_set, cell.arm) == (name, arm)), None)
    found = sorted(set(run.categories.values())) if run is not None else []
    return found if len(found) > 1 else []


def _row(evidence: Evidence, pool: Pool) -> Row | None:
    study = evidence.study
    found = best_interval(study.axis, [pool.told], evidence.seed)
    if found is None:
        return None
    told = tuned_gains(list(study.axis), study.baseline, [pool], evidence.seed)
    gain = paired_difference(list(told.gains[pool.name].values()), evidence.seed)
    says = "cannot_tell"
    if found.n < FEWEST:
        says = "too_few"
    elif gain.low is not None and gain.high is not None and (gain.low > 0 or gain.high < 0):
        says = "better" if gain.low > 0 else "worse"
    return {
        "best": found.best,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "gain": gain.mean,
        "gain_low": gain.low,
        "gain_high": gain.high,
        "says": says,
        "apart": pool.chosen_on is not None,
    }
