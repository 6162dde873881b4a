"""Pairs of rankings as the tables of a summary: means, paired gains with intervals, questions won and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.evaluate.aggregate import SMALL
from ragbench.evaluate.stage_effect_pairs import Pairs
from ragbench.stats.paired import Difference, holm, paired_differences, sign_flip_p

Rows = NDArray[np.bool_]
Table = dict[str, Any]
REGRESSION, CANNOT_TELL = "regression", "cannot_tell"
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class Told:
    """The questions behind the rows: their ids and categories, and the seed of every interval."""

    ids: Sequence[str]
    categories: Sequence[str]
    seed: int

    def masks(self) -> dict[str, Rows]:
        """Rows of each category, categories sorted."""
        labels = np.array(self.categories, dtype=object)
        return {name: labels == name for name in sorted(set(self.categories))}

    def named(self, rows: Rows) -> list[str]:
        """Ids of the questions of some rows, in their order."""
        return [self.ids[at] for at in np.flatnonzero(rows).tolist()]


def tell(parts: Sequence[Pairs], told: Told) -> list[Table]:
    """One table for each of `parts`, which share the draws of their intervals where they compare the same questions."""
    whole = np.ones(len(told.ids), dtype=bool)
    tables = [_table(one, rows, told) for one, rows in zip(parts, cells_of(parts, whole, told.seed), strict=True)]
    for category, rows in told.masks().items():
        for one, table, cells in zip(parts, tables, cells_of(parts, rows, told.seed), strict=True):
            n = int((one.compared & rows).sum())
            if n:
                turned = one.turned[rows]
                counts = {"rescued": int((turned > 0).sum()), "lost": int((turned < 0).sum())}
                table["by_category"][category] = {"n": n, "small": n < SMALL, "measures": cells} | counts
    for one, table in zip(parts, tables, strict=True):
        _judge(one, table, told)
    return tables


def add_regret(table: Table, pairs: Pairs, cuts: NDArray[np.int32], told: Told) -> None:
    """Add `regret` to the table of a reranker, overall and by category; `cuts` is [questions, 5] groups: all, in the
    pool, behind recall_k, behind k, and of these dropped."""
    compared = pairs.compared
    table["regret"] = _regret(cuts, compared) | {
        "behind_recall_k_ids": told.named(compared & (cuts[:, 2] > 0)),
        "behind_k_ids": told.named(compared & (cuts[:, 3] > 0)),
    }
    for name, rows in told.masks().items():
        if name in table["by_category"]:
            table["by_category"][name]["regret"] = _regret(cuts, compared & rows)


def _table(pairs: Pairs, cells: Table, told: Told) -> Table:
    reasons = [why for why in dict.fromkeys(pairs.excluded) if why]
    return {
        "depth": pairs.depth,
        "n": int(pairs.compared.sum()),
        "excluded": {why: pairs.excluded.count(why) for why in sorted(reasons)},
        "measures": cells,
        "rescued": told.named(pairs.turned > 0),
        "lost": told.named(pairs.turned < 0),
        "by_category": {},
    }


def cells_of(parts: Sequence[Pairs], rows: Rows, seed: int) -> list[Table]:
    """By measure, for each of `parts`, what it did to the questions of `rows`."""
    masks = [one.compared & rows for one in parts]
    found: dict[bytes, list[Difference]] = {}
    columns: dict[bytes, list[NDArray[np.float64]]] = {}
    for one, mask in zip(parts, masks, strict=True):
        columns.setdefault(mask.tobytes(), []).append(one.after[mask] - one.before[mask])
    for key, blocks in columns.items():
        found[key] = paired_differences(np.hstack(blocks), seed)
    return [
        _measures(one, mask, [found[mask.tobytes()].pop(0) for _ in one.names])
        for one, mask in zip(parts, masks, strict=True)
    ]


def _measures(pairs: Pairs, mask: Rows, gains: Sequence[Difference]) -> Table:
    before, after = pairs.before[mask], pairs.after[mask]
    columns: dict[str, Sequence[Any]] = {
        "before": _means(before),
        "after": _means(after),
        "gain": [gain.mean for gain in gains],
        "low": [gain.low for gain in gains],
        "high": [gain.high for gain in gains],
        "better": (after > before).sum(axis=0).tolist(),
        "equal": (after == before).sum(axis=0).tolist(),
        "worse": (after < before).sum(axis=0).tolist(),
        "verdict": [None] * len(gains),
        "p": [None] * len(gains),
    }
    if pairs.ceiling is not None:
        columns["ceiling"] = _means(pairs.ceiling[mask])
        columns["realised"] = list(map(_realised, columns["before"], columns["ceiling"], columns["gain"]))
    rows = zip(*columns.values(), strict=True)
    return {name: dict(zip(columns, row, strict=True)) for name, row in zip(pairs.names, rows, strict=True)}


def _realised(before: float | None, best: float | None, gain: float | None) -> float | None:
    if before is None or best is None or gain is None or best <= before:
        return None
    return round(gain / (best - before), 12)


def _judge(pairs: Pairs, table: Table, told: Told) -> None:
    """Mark the cells that lost. Overall a regression is an interval below 0; by category Holm's p over all measures and
    categories of five and more questions must agree. Only cells whose interval lies below 0 are tested; to the others
    p = 1 is given, so that none is found too easily."""
    for cell in table["measures"].values():
        cell["verdict"] = REGRESSION if _below(cell) else CANNOT_TELL if _lost(cell) else None
    tested: list[tuple[Table, float]] = []
    masks = told.masks()
    for category, row in table["by_category"].items():
        mask = pairs.compared & masks[category]
        for at, cell in enumerate(row["measures"].values()):
            cell["verdict"] = CANNOT_TELL if _lost(cell) else None
            if not row["small"]:
                moved = pairs.after[mask, at] - pairs.before[mask, at] if _below(cell) else ()
                tested.append((cell, sign_flip_p(moved, told.seed)))
    for (cell, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
        if _below(cell):
            cell["p"] = p
            cell["verdict"] = REGRESSION if p is not None and p < ALPHA else CANNOT_TELL
    table["tests"] = len(tested)


def _below(cell: Mapping[str, Any]) -> bool:
    return cell["high"] is not None and cell["high"] < 0


def _lost(cell: Mapping[str, Any]) -> bool:
    return cell["gain"] is not None and cell["gain"] < 0


def _regret(cuts: NDArray[np.int32], rows: Rows) -> Table:
    names = ("pool", "behind_recall_k", "behind_k", "dropped")
    if not rows.any():
        return dict.fromkeys((*names, "found"))
    shares = cuts[rows, 1:] / cuts[rows, :1]
    found = {name: _mean(shares[:, at]) for at, name in enumerate(names)}
    return found | {"found": _mean(shares[:, 0] - shares[:, 1] - shares[:, 2])}


def _mean(column: NDArray[np.float64]) -> Any:
    return round(float(column.sum()) / len(column), 12) if len(column) else None


def _means(block: NDArray[np.float64]) -> list[Any]:
    """`_mean` of each column of [questions, measures]."""
    n = len(block)
    return [round(total / n, 12) if n else None for total in np.ascontiguousarray(block.T).sum(axis=1).tolist()]
