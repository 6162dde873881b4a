"""Variants × categories of a sweep: which variant is better where, and on how many questions that stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import higher_is_better, number
from ragbench.report.labels import Labels
from ragbench.report.view_scores import SMALL

MEASURES = ("ranking/recall@5", "answer/correctness_f1")

View = dict[str, Any]


def category_tables(summaries: Sequence[Mapping[str, Any]], names: Sequence[str], labels: Labels) -> list[View]:
    """One table a measure of `MEASURES`; measures and categories without a mean in any run are left out.

    `names` are the variants' names in the order of `summaries`. A column's `n` counts the questions the measure applies
    to, scored and failed; runs that differ in it give a range, and `small` speaks of the least of them.
    """
    tables = (_table(measure, summaries, names, labels) for measure in MEASURES)
    return [table for table in tables if table["columns"]]


def _table(measure: str, summaries: Sequence[Mapping[str, Any]], names: Sequence[str], labels: Labels) -> View:
    groups = [one.get("by_category") or {} for one in summaries]
    categories = sorted({category for found in groups for category in found})
    cells = {category: [(found.get(category) or {}).get(measure) or {} for found in groups] for category in categories}
    kept = [category for category, rows in cells.items() if any(row.get("mean") is not None for row in rows)]
    return {
        "id": measure,
        "name": labels.measure_in_list(measure),
        "meaning": labels.measure_meaning(measure),
        "columns": [_column(category, cells[category], labels) for category in kept],
        "rows": [
            {"name": name, "cells": [_cell(cells[category][at], higher_is_better(measure)) for category in kept]}
            for at, name in enumerate(names)
        ],
    }


def _column(category: str, rows: Sequence[Mapping[str, Any]], labels: Labels) -> View:
    sizes = [n for row in rows if (n := int(row.get("n_scored") or 0) + int(row.get("n_failed") or 0))]
    least, most = min(sizes, default=0), max(sizes, default=0)
    return {
        "name": labels.group(category),
        "n": str(least) if least == most else f"{least}–{most}",
        "small": least < SMALL,
    }


def _cell(row: Mapping[str, Any], higher: bool) -> View:
    mean, low, high = row.get("mean"), row.get("low"), row.get("high")
    return {
        "mean": number(mean),
        "heat": None if mean is None else mean if higher else 1 - mean,
        "interval": f"{number(low)}–{number(high)}" if low is not None and high is not None else "",
        "failed": int(row.get("n_failed") or 0),
    }
