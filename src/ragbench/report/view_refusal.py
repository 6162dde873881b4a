"""What other refusal thresholds would have done, for the page: a curve and a table by category for each score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragbench.compare.table import number
from ragbench.evaluate.refusal_curve import points_at
from ragbench.report import svg
from ragbench.report.labels import Labels

View = dict[str, Any]
Point = Sequence[float | None]

THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Shown in the table beside the variant's own."""

_SIDES = (("unanswerable", 1), ("answerable", 2))


CURVES = {"refusal": "a_curve", "refusal_by_relevance": "a_curve_relevance"}
"""Where a summary has curves, and the words of each."""


def refusal_views(summary: Mapping[str, Any], labels: Labels) -> list[View]:
    """The curves that a run tells."""
    return [view for part in CURVES if (view := refusal_view(summary, labels, part)) is not None]


def refusal_view(summary: Mapping[str, Any], labels: Labels, part: str = "refusal") -> View | None:
    """One of `CURVES` as a chart, and its table; None for a run that does not tell it."""
    told, words = summary.get(part), CURVES[part]
    if not told:
        return None
    chosen = told["threshold"]
    shown = sorted({*THRESHOLDS, *([] if chosen is None else [chosen])})
    places = [(labels("all_questions"), told), *((labels.group(name), of) for name, of in told["by_category"].items())]
    return {
        "id": part.replace("_", "-"),
        "title": labels(words),
        "lead": labels(f"{words}_lead"),
        "chart": _chart(told, labels, labels(words)),
        "columns": [(f"{at:g}", at == chosen) for at in shown],
        "rows": [row for name, of in places for row in _rows(name, of, shown, labels)],
        "auroc": labels("a_curve_auroc", auroc=number(told["auroc"])) if told["auroc"] is not None else "",
        "left_out": labels("a_curve_left_out", n=told["left_out"]) if told["left_out"] else "",
    }


def _rows(name: str, of: Mapping[str, Any], shown: Sequence[float], labels: Labels) -> Iterator[View]:
    """One row for the answerable and one for the unanswerable questions of a group, where it has them."""
    points = points_at(of["points"], shown)
    for kind, at in _SIDES:
        n = of[f"n_{kind}"]
        if n:
            cells = [number(point[at]) for point in points]
            yield {"name": name, "measure": labels(f"a_curve_{kind}"), "n": n, "cells": cells}


def _chart(told: Mapping[str, Any], labels: Labels, title: str) -> str:
    """Both rates over the threshold, with the variant's own as a line."""
    points: Sequence[Point] = told["points"]
    thresholds = [point[0] for point in points]
    chosen = told["threshold"]

    def plot(axes: Any) -> None:
        for (kind, at), colour in zip(_SIDES, svg.SERIES, strict=False):
            if told[f"n_{kind}"]:
                rates = [point[at] for point in points]
                axes.step(thresholds, rates, where="pre", color=colour, linewidth=1.8, label=labels(f"a_curve_{kind}"))
        if chosen is not None:
            axes.axvline(chosen, color=svg.INK, linewidth=1.2, linestyle="--")
            axes.annotate(
                labels("a_curve_chosen", threshold=f"{chosen:g}"), (chosen, 1), xycoords=("data", "axes fraction"),
                xytext=(5, -9), textcoords="offset points", color=svg.INK, fontsize=9,
            )  # fmt: skip
        axes.set_xlim(0, 1)
        axes.set_ylim(-0.02, 1.12)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_xlabel(labels("a_curve_threshold"))
        axes.grid(axis="y")
        axes.tick_params(length=0)
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1), labelcolor=svg.INK)

    return svg.draw(7.6, 3.2, plot, title)
