"""The charts of a run, drawn from its summary alone: what the report shows and MLflow keeps beside the figures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragbench.report import charts, view_losses, view_scores
from ragbench.report.labels import Labels
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

_CURVE = ("retrieval", "ranking")
Row = dict[str, Any]


def run_charts(run: RunDir, lang: str) -> Mapping[str, str]:
    """SVG by name: `bars`, `heat`, `curve`, `waterfall`; one without data is empty.

    Charts of one summary are drawn once, whoever asks for them.
    """
    stamp = (run.folder / layout.SUMMARY).stat().st_mtime_ns
    return _drawn(run.folder, stamp, lang)


@lru_cache(maxsize=4)
def _drawn(folder: Path, stamp: int, lang: str) -> Mapping[str, str]:
    labels, summary = Labels(lang), RunDir(folder).summary
    return {
        "bars": charts.score_bars(
            [
                (labels.measure_in_list(row["id"]), row["bar"])
                for row in view_scores.headline_rows(summary, {}, labels)
                if charts.drawable(row["id"])
            ],
            labels("bars_title"),
        ),
        "heat": _heat(summary, labels),
        "curve": charts.recall_curve(_curves(summary, labels), labels("curve_title"), "k"),
        "waterfall": charts.loss_waterfall(_steps(summary, labels), labels("losses_title")),
    }


def _steps(summary: Mapping[str, Any], labels: Labels) -> list[tuple[str, int, int, str]]:
    steps = view_losses.waterfall(view_losses.loss_rows(summary, {}, labels))
    if not steps:
        return []
    return [(labels("all_questions"), *steps[0][1:]), *steps[1:-1], (labels.outcome("ok"), *steps[-1][1:])]


def _heat(summary: Mapping[str, Any], labels: Labels) -> str:
    group = view_scores.grouping("category", summary, (summary.get("counts") or {}).get("category") or {}, labels)
    if group is None:
        return ""
    kept = [at for at, (_, _, name, _) in enumerate(group["measures"]) if charts.drawable(name)]
    columns = [labels.measure_in_list(group["measures"][at][2]) for at in kept]
    rows = [f"{row['name']} ({row['n']})" for row in group["rows"] if row["id"]]
    values = [[row["cells"][at]["value"] for at in kept] for row in group["rows"] if row["id"]]
    return charts.heat_map(rows, columns, values, labels("heat_title"))


def _curves(summary: Mapping[str, Any], labels: Labels) -> dict[str, list[tuple[int, charts.Interval]]]:
    """Recall at each k before and after reranking; one curve where nothing was reranked."""
    series: dict[str, list[tuple[int, charts.Interval]]] = {}
    for layer, name in zip(_CURVE, (labels("before"), labels("after"))):
        points = []
        for measure, row in (summary.get("metrics") or {}).items():
            head, _, cut = measure.partition("@")
            if head == f"{layer}/recall" and cut.isdigit() and row.get("mean") is not None:
                points.append((int(cut), (row["mean"], row.get("low"), row.get("high"))))
        series[name] = sorted(points)
    before, after = series.values()
    if [value[0] for _, value in before] == [value[0] for _, value in after]:
        return {labels.measure("retrieval/recall"): before}
    return series
