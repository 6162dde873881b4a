"""Every variant against the baseline: paired differences of each measure, by set, language and category."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ragbench.core.rows import to_row
from ragbench.experiment.legs import Evidence, exclusion
from ragbench.experiment.outcome import FEWEST
from ragbench.experiment.plan import Cell
from ragbench.experiment.readings import Reading, sign_of
from ragbench.stats.paired import Difference, holm, paired_difference

ALPHA = 0.05

Row = dict[str, Any]


def contrasts(evidence: Evidence) -> list[Row]:
    """One row for each set, arm, variant and measure that both runs have values of.

    Differences are variant − baseline, as they are; `better` says which sign is good. `p_holm` is Holm's over all
    measures and variants of one set. `unpaired` counts subjects that have a value in one of the two alone.
    """
    rows = []
    for _, of_set in groupby(_pairs(evidence), key=lambda pair: pair[0].eval_set):
        found = [_row(cell, pair, metric, evidence.seed) for cell, pair in of_set for metric in evidence.study.metrics]
        kept = [row for row in found if row["n"]]
        for row, p in zip(kept, holm([row["p"] if row["n"] > 1 and not row["excluded"] else None for row in kept])):
            row["p_holm"] = p
        rows += kept
    return rows


def _pairs(evidence: Evidence) -> Iterator[tuple[Cell, tuple[Reading, Reading]]]:
    for cell, reading in sorted(evidence.readings.items(), key=lambda pair: evidence.sets.index(pair[0].eval_set)):
        base = evidence.readings.get(Cell(cell.eval_set, cell.arm, evidence.study.baseline))
        if base is not None and cell.variant != evidence.study.baseline:
            yield cell, (reading, base)


def _row(cell: Cell, pair: tuple[Reading, Reading], metric: str, seed: int) -> Row:
    left, right = (one.columns[metric] for one in pair)
    values = {key: value - right.values[key] for key, value in left.values.items() if key in right.values}
    found = paired_difference(list(values.values()), seed)
    facets = (pair[0].languages, pair[0].categories) if left.kind == "question" else ({}, {})
    return {
        "set": cell.eval_set,
        "arm": cell.arm,
        "variant": cell.variant,
        "metric": metric,
        "better": sign_of(metric),
        **to_row(found),
        "p_holm": None,
        "unpaired": len(left.values.keys() ^ right.values.keys()),
        "failed": left.n_failed + right.n_failed,
        "excluded": exclusion(pair[0], pair[1], metric),
        "by_language": _by(values, facets[0], lambda part: to_row(paired_difference(part, seed))),
        "by_category": _by(values, facets[1], lambda part: _short(paired_difference(part, seed))),
    }


def _by(values: Mapping[str, float], facet: Mapping[str, str], of: Callable[[list[float]], Row]) -> dict[str, Row]:
    groups: dict[str, list[float]] = {}
    for key, value in values.items():
        if key in facet:
            groups.setdefault(facet[key], []).append(value)
    return {name: of(part) for name, part in sorted(groups.items())}


def _short(found: Difference) -> Row:
    return {"mean": found.mean, "low": found.low, "high": found.high, "n": found.n}


def trade_offs(rows: Sequence[Row]) -> list[Row]:
    """Variants of which one measure is better and another worse than the baseline's, both beyond chance after Holm.

    Measures of cost count too: better and dearer is a trade.
    """
    found = []
    for place, of_variant in groupby(rows, key=lambda row: (row["set"], row["arm"], row["variant"])):
        sure = [row for row in of_variant if row["p_holm"] is not None and row["p_holm"] < ALPHA and row["n"] >= FEWEST]
        up = [row for row in sure if row["mean"] * row["better"] > 0]
        down = [row for row in sure if row["mean"] * row["better"] < 0]
        if up and down:
            names = dict(zip(("set", "arm", "variant"), place))
            found.append(names | {"up": [_named(row) for row in up], "down": [_named(row) for row in down]})
    return found


def _named(row: Row) -> Row:
    return {key: row[key] for key in ("metric", "mean", "low", "high")}
