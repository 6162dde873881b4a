"""Curves of an experiment: at equal k beside equal context, answers, chunks; bars where what is varied has no order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragbench.report.charts import Interval, drawable, grouped_bars
from ragbench.report.experiment_charts import Series, knee_curve
from ragbench.report.experiment_words import Words, joined

Found = Mapping[str, Any]

_GROUPS = ("curve_k", "curve_budget", "curve_answer", "curve_chunks")


def curve_sections(found: Found, words: Words) -> list[dict[str, Any]]:
    """For each set and arm its charts, as `(caption, svg)`; places without a finished run are left out."""
    sections = []
    for name, arm, points in places(found):
        metrics = [metric for metric in found["metrics"] if drawable(metric)]
        charts = _curves(found, points, metrics, words) if found["ordered"] else _bars(points, metrics, words)
        shown = [(caption, chart) for caption, chart in charts if chart]
        if shown:
            sections.append({"title": joined([name, arm]), "charts": shown, "curves": found["ordered"]})
    return sections


def knee_table(found: Found, words: Words) -> list[dict[str, Any]]:
    """Best and knee of each measure on each set and arm."""
    return [
        {
            "place": joined([row["set"], row["arm"]]),
            "measure": words.measure(row["metric"]),
            "best": row["best"],
            "knee": row["knee"],
            "n": row["n"],
        }
        for row in found["knees"]
    ]


def places(found: Found) -> Iterator[tuple[str, str, list[Found]]]:
    """Set, arm and the points that finished there, in the order of the variants."""
    order = list(found["variants"])
    for one in found["sets"]:
        for arm in found["arms"]:
            points = [p for p in found["points"] if (p["set"], p["arm"]) == (one["name"], arm)]
            if points:
                yield one["name"], arm, sorted(points, key=lambda point: order.index(point["variant"]))


def group_of(metric: str) -> str:
    """The chart a measure belongs to."""
    layer, _, rest = metric.partition("/")
    if layer in ("retrieval", "ranking"):
        return "curve_budget" if rest.startswith("recall_budget") else "curve_k"
    return "curve_chunks" if layer == "chunks" else "curve_answer"


def _curves(found: Found, points: list[Found], metrics: list[str], words: Words) -> Iterator[tuple[str, str]]:
    axis = {name: float(name.rstrip("% ")) for name in found["variants"]}
    knees = {(row["set"], row["arm"], row["metric"]): row["knee"] for row in found["knees"]}
    for group in _GROUPS:
        series: Series = {
            words.measure(metric): [
                (axis[point["variant"]], value) for point in points if (value := interval_of(point, metric))
            ]
            for metric in metrics
            if group_of(metric) == group
        }
        marked = _marked(found, [metric for metric in metrics if group_of(metric) == group])
        knee = knees.get((points[0]["set"], points[0]["arm"], marked))
        caption = words(group)
        if knee is not None:
            caption = words("curve_knee", group=caption, measure=words.measure(marked), knee=knee)
        yield caption, knee_curve(found["key"], series, None if knee is None else axis[knee], caption)


def _marked(found: Found, metrics: list[str]) -> str:
    """The measure whose knee is drawn: the one a check asks about, else the first."""
    asked = [name for check in found["checks"] if check["rule"] == "knee" for name in check["metrics"]]
    return next((name for name in asked if name in metrics), metrics[0] if metrics else "")


def _bars(points: list[Found], metrics: list[str], words: Words) -> Iterator[tuple[str, str]]:
    names = [point["variant"] for point in points]
    for group in _GROUPS:
        bars = {
            words.measure(metric): [interval_of(point, metric) for point in points]
            for metric in metrics
            if group_of(metric) == group and any(interval_of(point, metric) for point in points)
        }
        yield words(group), grouped_bars(names, bars, words(group))


def interval_of(point: Found, metric: str) -> Interval | None:
    """Mean and interval of a measure of one run; None where it has no mean."""
    row = point["metrics"].get(metric) or {}
    return None if row.get("mean") is None else (row["mean"], row.get("low"), row.get("high"))
