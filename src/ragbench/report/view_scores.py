"""Aggregates of a run as the page shows them: by layer, by group, and the advice that follows from recall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.headline import headline
from ragbench.compare.table import CEILING, group_size, higher_is_better, judged, number
from ragbench.measure.name import LAYERS
from ragbench.records.question import DIFFICULTIES
from ragbench.report.labels import Labels
from ragbench.report.view_judge import judge_notes

SMALL = 5
BESIDE = 9
"""Up to this many groups stand side by side, a measure a row; more of them are rows themselves."""

MAX_FAILED = 0.10
FACETS = ("category", "difficulty", "language", "answerability", "split", "turn")
BANDS = ((0.60, "fix"), (0.75, "advised"), (0.85, "optional"))
"""Upper bounds of the bands of recall@10 (experiments.md, "Thresholds people act on"); above the last: `cost`."""

COPYING = ("extractive",)
FAITHFUL = ("answer/faithfulness", "answer/ragas_faithfulness")
"""Generators that copy sentences of their context and so are faithful by construction."""

_RECALL = ("ranking/recall@10", "retrieval/recall@10", "ranking/recall@5", "retrieval/recall@5")

Row = dict[str, Any]


def layers(summary: Mapping[str, Any], scored: Mapping[str, Counter[float]], labels: Labels) -> list[Row]:
    """Every layer with its measures, empty layers too; `scored[measure]` counts values, to tell a saturated one."""
    metrics = summary.get("metrics") or {}
    names = [*LAYERS, *sorted({name.partition("/")[0] for name in metrics if "/" in name} - set(LAYERS))]
    return [
        {
            "id": layer,
            "name": labels.layer(layer),
            "question": labels.layer_question(layer),
            "rows": [
                measure_row(name, row, summary, scored.get(name, Counter()), labels)
                for name, row in metrics.items()
                if name.partition("/")[0] == layer and (row.get("n_scored") or row.get("n_failed"))
            ],
        }
        for layer in names
    ]


def measure_row(
    name: str, row: Mapping[str, Any], summary: Mapping[str, Any], values: Counter[float], labels: Labels
) -> Row:
    """One measure: figures as text, position of mean and interval on a scale of 0 … 1 where it has one, warnings."""
    mean, low, high = row.get("mean"), row.get("low"), row.get("high")
    n_scored, n_failed = int(row.get("n_scored") or 0), int(row.get("n_failed") or 0)
    unit = not name.startswith("cost/") and mean is not None and 0 <= mean <= 1 and (high is None or high <= 1)
    notes = []
    if n_failed > MAX_FAILED * (n_scored + n_failed):
        notes.append(labels("too_many_failed"))
    if name in FAITHFUL and (summary.get("variant") or {}).get("generator") in COPYING:
        notes.append(labels("ceiling"))
    elif is_saturated(name, summary, values):
        notes.append(labels("saturated"))
    if judged(name):
        notes += judge_notes(summary, labels)
    return {
        "id": name,
        "name": labels.measure(name),
        "meaning": labels.measure_meaning(name),
        "lower": not higher_is_better(name),
        "mean": number(mean),
        "interval": f"{number(low)} – {number(high)}" if low is not None and high is not None and n_scored > 1 else "–",
        "n_scored": n_scored,
        "n_na": int(row.get("n_na") or 0),
        "n_failed": n_failed,
        "judge": (summary.get("judge") or {}).get(name.rpartition("/")[2], ""),
        "bar": (mean, low if low is not None else mean, high if high is not None else mean) if unit else None,
        "notes": notes,
    }


def is_saturated(name: str, summary: Mapping[str, Any], values: Counter[float]) -> bool:
    """Whether at least 95 % of the scored values are 1; only faithfulness is asked, whose verdicts depend on it."""
    if not name.endswith("/faithfulness"):
        return False
    if name in (summary.get("saturated") or ()):
        return True
    total = values.total()
    return total > 0 and values[1.0] >= CEILING * total


def grouping(facet: str, summary: Mapping[str, Any], counts: Mapping[str, int], labels: Labels) -> Row | None:
    """Headline measures by the values of one facet; None when the run has fewer than two groups (categories: one)."""
    groups = summary.get(f"by_{facet}") or {}
    if len(groups) < (1 if facet == "category" else 2):
        return None
    measures = headline([summary])
    rows = []
    for value, row in sorted(groups.items(), key=lambda pair: _place(facet, pair[0])):
        n = counts.get(value, 0) or group_size(row)
        rows.append(
            {
                "id": value,
                "name": labels.group(value),
                "n": n,
                "small": n < SMALL,
                "cells": [_cell(row.get(name) or {}, higher_is_better(name)) for name in measures],
            }
        )
    macro = summary.get("macro_by_category") or {}
    if facet == "category" and macro:
        cells = [_cell({"mean": macro.get(name)}, higher_is_better(name)) | {"counts": "–"} for name in measures]
        rows.append(
            {"id": "", "name": labels("macro"), "n": sum(row["n"] for row in rows), "small": False, "cells": cells}
        )
    return {
        "id": facet,
        "name": labels(f"by_{facet}"),
        "measures": [
            (labels.measure(name), labels.layer(name.partition("/")[0]), name, not higher_is_better(name))
            for name in measures
        ],
        "rows": rows,
        "beside": len(rows) <= BESIDE,
    }


def _place(facet: str, value: str) -> int:
    """Difficulties from easy to hard, unknown ones after them; other facets keep their order."""
    if facet != "difficulty":
        return 0
    return DIFFICULTIES.index(value) if value in DIFFICULTIES else len(DIFFICULTIES)


def _cell(row: Mapping[str, Any], higher: bool = True) -> Row:
    mean, low, high = row.get("mean"), row.get("low"), row.get("high")
    counts = f"{row.get('n_scored') or 0} / {row.get('n_na') or 0} / {row.get('n_failed') or 0}"
    return {
        "mean": number(mean),
        "value": mean,
        "heat": None if mean is None else mean if higher else 1 - mean,
        "interval": f"{number(low)}–{number(high)}" if low is not None and high is not None else "",
        "counts": counts,
    }


def band(value: float) -> str:
    """The band of a recall value: `fix`, `advised`, `optional` or `cost`; a bound belongs to the band above it, but
    0.85 itself is still `optional`."""
    for upper, name in BANDS:
        if value < upper or (name == "optional" and value <= upper):
            return name
    return "cost"


def advice(
    summary: Mapping[str, Any], losses: Mapping[str, Counter[str]], counts: Mapping[str, int], labels: Labels
) -> Row | None:
    """Which band each category is in and what that means; None for a run without recall by category.

    `losses[category]` counts the outcomes of its questions. Where the interval reaches into another band that is said.
    """
    groups = summary.get("by_category") or {}
    measure = next((n for n in _RECALL if any((g.get(n) or {}).get("mean") is not None for g in groups.values())), None)
    if measure is None:
        return None
    rows = []
    for category, group in groups.items():
        row = group.get(measure) or {}
        if row.get("mean") is None:
            continue
        n = counts.get(category, 0) or group_size(group)
        rows.append(_advice_row(category, row, n, losses.get(category, Counter()), labels))
    return {"measure": f"{labels.layer(measure.partition('/')[0])} · {labels.measure(measure)}", "rows": rows}


def _advice_row(category: str, row: Mapping[str, Any], n: int, lost: Counter[str], labels: Labels) -> Row:
    name = band(row["mean"])
    low, high = row.get("low"), row.get("high")
    unsure = ""
    if low is not None and high is not None and band(low) != band(high):
        unsure = labels("band_unsure", low=labels(f"band_{band(low)}"), high=labels(f"band_{band(high)}"))
    worst = lost.most_common(1)
    return {
        "id": category,
        "name": labels.group(category),
        "n": n,
        "small": n < SMALL,
        "mean": number(row["mean"]),
        "interval": f"{number(low)} – {number(high)}" if low is not None and high is not None else "–",
        "band": name,
        "band_name": labels(f"band_{name}"),
        "hint": labels(f"band_{name}_hint"),
        "unsure": unsure,
        "worst": (labels.outcome(worst[0][0]), worst[0][1], worst[0][0]) if worst else None,
    }


def headline_rows(summary: Mapping[str, Any], scored: Mapping[str, Counter[float]], labels: Labels) -> Sequence[Row]:
    """The headline measures on a scale of 0 … 1, for the chart and the cards at the top."""
    metrics = summary.get("metrics") or {}
    rows = [
        measure_row(name, metrics[name], summary, scored.get(name, Counter()), labels) for name in headline([summary])
    ]
    return [row for row in rows if row["bar"] is not None]
