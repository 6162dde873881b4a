"""Tables of an experiment: paired differences by measure, and by category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import number
from ragbench.report.experiment_curves import places
from ragbench.report.experiment_words import Words, joined, signed
from ragbench.report.labels import Labels

ALPHA = 0.05
SMALL = 5

Found = Mapping[str, Any]
View = dict[str, Any]


def difference_sections(found: Found, words: Words) -> list[View]:
    """For each set and arm: a row a measure, a column a variant; the baseline's column has its means."""
    rows = {(row["set"], row["arm"], row["variant"], row["metric"]): row for row in found["contrasts"]}
    sections = []
    for name, arm, points in places(found):
        base = next((point for point in points if point["variant"] == found["baseline"]), None)
        if base is None:
            continue
        others = [variant for variant in found["variants"] if variant != found["baseline"]]
        sections.append(
            {
                "title": joined([name, arm]),
                "variants": others,
                "rows": [
                    {
                        "id": metric,
                        "name": words.measure(metric),
                        "lower": _lower(metric),
                        "base": number((base["metrics"].get(metric) or {}).get("mean")),
                        "saturated": metric in base["saturated"],
                        "cells": [_cell(rows.get((name, arm, variant, metric)), words) for variant in others],
                    }
                    for metric in found["metrics"]
                    if (base["metrics"].get(metric) or {}).get("mean") is not None
                ],
            }
        )
    return sections


def _lower(metric: str) -> bool:
    from ragbench.compare.table import higher_is_better

    return not higher_is_better(metric)


def _cell(row: Found | None, words: Words) -> View:
    if row is None:
        return {"gain": "–", "interval": "", "n": 0, "sure": "", "hint": "", "note": ""}
    sure = row["p_holm"] is not None and row["p_holm"] < ALPHA
    good = (row["mean"] or 0) * row["better"] > 0
    hints = [words("p_holm", p=f"{row['p_holm']:.3g}")] if row["p_holm"] is not None else []
    hints += [words("detectable", value=number(row["detectable"]))] if row["detectable"] is not None else []
    hints += [words("unpaired", n=row["unpaired"])] if row["unpaired"] else []
    notes = {"identical": words("no_contrast"), "saturated": words("saturated")}
    return {
        "gain": signed(row["mean"]),
        "interval": f"{signed(row['low'])} … {signed(row['high'])}" if row["low"] is not None else "",
        "n": row["n"],
        "sure": ("up" if good else "down") if sure else "",
        "hint": words("semicolon").join(hints),
        "note": notes.get(row["excluded"], ""),
    }


def category_sections(found: Found, words: Words) -> list[View]:
    """For each set, arm and measure that a check reads: a row a variant, a column a category."""
    read = dict.fromkeys(metric for check in found["checks"] for metric in check["metrics"])
    sections = []
    for name, arm, _ in places(found):
        for metric in read:
            rows = [
                row
                for row in found["contrasts"]
                if (row["set"], row["arm"], row["metric"]) == (name, arm, metric) and row["by_category"]
            ]
            if rows:
                sections.append(_categories(joined([name, arm, words.measure(metric)]), rows, words))
    return sections


def _categories(title: str, rows: Sequence[Found], words: Words) -> View:
    names = sorted({name for row in rows for name in row["by_category"]})
    labels = Labels(words.lang)
    sizes = {name: max(row["by_category"][name]["n"] for row in rows if name in row["by_category"]) for name in names}
    return {
        "title": title,
        "columns": [{"name": labels.group(name), "n": sizes[name], "small": sizes[name] < SMALL} for name in names],
        "rows": [
            {"name": row["variant"], "cells": [_short(row["by_category"].get(name), row["better"]) for name in names]}
            for row in rows
        ],
    }


def _short(found: Found | None, better: int) -> View:
    if not found or found["mean"] is None:
        return {"gain": "–", "interval": "", "side": ""}
    low, high = found["low"], found["high"]
    clear = low is not None and (low > 0 or high < 0)
    return {
        "gain": signed(found["mean"]),
        "interval": "" if low is None else f"{signed(low)} … {signed(high)}",
        "side": ("up" if found["mean"] * better > 0 else "down") if clear else "",
    }
