"""The best variant by one measure, and which others these questions cannot tell from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragbench.compare.scale import difference_on_scale, mean_on_scale
from ragbench.compare.table import higher_is_better
from ragbench.findings.variant import Values, Variant
from ragbench.stats.paired import holm, paired_difference, paired_differences

ALPHA = 0.05

Row = dict[str, Any]


def leader(variants: Sequence[Variant], measure: str, seed: int) -> Row | None:
    """The variant with the best mean, and how far each other lies behind it, in the better direction.

    Only questions with a value in every variant that has any count. `apart` says that a paired sign-flip test with
    Holm's correction over the others (5 %) tells a variant from the best; `detectable` is the smallest difference that
    a 5 % test would find four times out of five. Ties of the best go to the earlier one. The best is chosen and tested
    on the same questions, which flatters its lead a little. None for fewer than two variants with values, or fewer than
    two questions.
    """
    asked = [one for one in variants if one.values.get(measure)]
    ids = common([one.values[measure] for one in asked])
    if len(asked) < 2 or len(ids) < 2:
        return None
    sign = 1 if higher_is_better(measure) else -1
    means = [sum(one.values[measure][key] for key in ids) / len(ids) for one in asked]
    at = max(range(len(asked)), key=lambda n: (sign * round(means[n], 12), -n))
    best = asked[at].values[measure]
    others = [one for one in asked if one is not asked[at]]
    gains = [[sign * (best[key] - one.values[measure][key]) for key in ids] for one in others]
    behind = [difference_on_scale(paired_difference(found, seed), measure) for found in gains]
    own = mean_on_scale(paired_differences(np.array([[best[key]] for key in ids]), seed)[0], measure)
    rows = [
        {"run_id": one.run_id, "mean": d.mean, "low": d.low, "high": d.high, "p": p, "detectable": d.detectable}
        | {"apart": p is not None and p < ALPHA}
        for one, d, p in zip(others, behind, holm([d.p for d in behind]), strict=True)
    ]
    return {
        "run_id": asked[at].run_id,
        "mean": own.mean,
        "low": own.low,
        "high": own.high,
        "n": len(ids),
        "behind": rows,
        "tied": [row["run_id"] for row in rows if not row["apart"]],
    }


def common(columns: Sequence[Values]) -> list[str]:
    """Questions that all of some columns have a value of, in the order of the first."""
    first, *rest = columns or [{}]
    return [key for key in first if all(key in one for one in rest)]
