"""The charts of experiment reports: curves over a knob with the knee, and gains with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.report import svg
from ragbench.report.charts import Interval

Series = Mapping[str, Sequence[tuple[float, Interval]]]


@svg.once
def knee_curve(knob: str, series: Series, knee: float | None, title: str) -> str:
    """Measures over one numeric knob with bands of their intervals; a vertical line stands at the knee."""
    drawn = {name: sorted(points) for name, points in series.items() if len(points) > 1}
    if not drawn:
        return ""

    def plot(axes: Any) -> None:
        if knee is not None:
            axes.axvline(knee, color=svg.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        for number, (name, points) in enumerate(drawn.items()):
            colour = svg.SERIES[number % len(svg.SERIES)]
            xs = [x for x, _ in points]
            axes.plot(xs, [v[0] for _, v in points], color=colour, marker="o", markersize=4, linewidth=1.8, label=name)
            if all(v[1] is not None and v[2] is not None for _, v in points):
                lows, highs = [v[1] for _, v in points], [v[2] for _, v in points]
                axes.fill_between(xs, lows, highs, color=colour, alpha=0.13, linewidth=0)
        ticks = sorted({x for points in drawn.values() for x, _ in points})
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
        axes.set_ylim(0, 1.03)
        axes.set_xlabel(knob)
        axes.grid(axis="y")
        axes.tick_params(length=0)
        axes.figure.legend(frameon=False, loc="outside lower left", ncols=2, labelcolor=svg.INK)

    return svg.draw(5.0, 3.7, plot, title)


@svg.once
def forest(rows: Sequence[tuple[str, Interval, str]], bounds: Sequence[float], title: str) -> str:
    """One row a set or language: mean and interval of its gain, coloured by outcome; dashed lines at the bounds."""
    if not rows:
        return ""
    colours = {"confirmed": svg.GOOD, "refuted": svg.BAD}

    def plot(axes: Any) -> None:
        axes.axvline(0, color=svg.LINE, linewidth=1)
        for bound in bounds:
            axes.axvline(bound, color=svg.MUTED, linewidth=1, linestyle=(0, (4, 3)))
        for y, (_, (mean, low, high), outcome) in enumerate(rows):
            colour = colours.get(outcome, svg.MUTED)
            if low is not None and high is not None:
                axes.plot([low, high], [y, y], color=colour, linewidth=2, solid_capstyle="butt")
            axes.plot([mean], [y], color=colour, marker="D" if y == 0 else "o", markersize=6 if y == 0 else 5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), [name for name, *_ in rows], fontsize=9)
        axes.tick_params(length=0)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        axes.grid(axis="x")

    return svg.draw(6.4, 0.6 + 0.28 * len(rows), plot, title)
