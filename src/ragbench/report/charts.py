"""The charts of the reports; every function gives one inline SVG, or an empty string where there is nothing to draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from ragbench.compare.table import higher_is_better
from ragbench.report import svg
from ragbench.report.numbers import share

Interval = tuple[float, float | None, float | None]
"""Mean, low, high."""

_WRAP = 14
_BINS = 30
_WIDTHS = [step * 10**power for power in range(10) for step in (1, 2, 5)]


def drawable(measure: str) -> bool:
    """Whether a measure belongs on a scale of 0 … 1 on which further right is better: no cost, no share of mistakes."""
    return not measure.startswith("cost/") and higher_is_better(measure)


@svg.once
def heat_map(rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float | None]], title: str) -> str:
    """Rows × columns of values in [0, 1], the figure in each cell; None is an empty cell."""
    if not rows or not columns:
        return ""

    def plot(axes: Any) -> None:
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                if value is None:
                    axes.text(x, y, "–", ha="center", va="center", color=svg.MUTED, fontsize=9)
                    continue
                axes.add_patch(_box(x - 0.48, y - 0.46, 0.96, 0.92, svg.heat(value)))
                axes.text(x, y, f"{value:.2f}", ha="center", va="center", color=svg.INK, fontsize=9)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(columns)), [wrap(text) for text in columns], fontsize=8.5)
        axes.set_yticks(range(len(rows)), [_short(text, 22) for text in rows])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)

    return svg.draw(1.9 + 0.92 * len(columns), 0.8 + 0.36 * len(rows), plot, title)


@svg.once
def score_bars(rows: Sequence[tuple[str, Interval]], title: str) -> str:
    """One horizontal bar a measure on 0 … 1, with its interval."""
    if not rows:
        return ""

    def plot(axes: Any) -> None:
        for y, (_, (mean, low, high)) in enumerate(rows):
            axes.barh(y, 1, height=0.5, color=svg.LINE, alpha=0.45)
            axes.barh(y, mean, height=0.5, color=svg.ACCENT)
            if low is not None and high is not None:
                axes.plot([low, high], [y, y], color=svg.INK, linewidth=1.4, solid_capstyle="butt")
            axes.text(1.02, y, f"{mean:.3f}", va="center", fontsize=9.5)
        axes.set_xlim(0, 1.12)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"], fontsize=9)
        _bare(axes)

    return svg.draw(6.6, 0.5 + 0.36 * len(rows), plot, title)


@svg.once
def recall_curve(series: Mapping[str, Sequence[tuple[int, Interval]]], title: str, x_label: str) -> str:
    """Recall at each k, one line a list (before and after reranking), with bands of the intervals."""
    drawn = {name: points for name, points in series.items() if len(points) > 1}
    if not drawn:
        return ""

    def plot(axes: Any) -> None:
        for number, (name, points) in enumerate(drawn.items()):
            _line(axes, number, name, [(float(k), value) for k, value in points])
        ticks = sorted({k for points in drawn.values() for k, _ in points})
        axes.set_xscale("log")
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.set_ylim(0, 1.03)
        axes.set_xlabel(x_label)
        axes.grid(axis="y")
        axes.legend(frameon=False, loc="lower right", labelcolor=svg.INK)
        axes.tick_params(length=0)

    return svg.draw(5.2, 3.1, plot, title)


@svg.once
def loss_waterfall(steps: Sequence[tuple[str, int, int, str]], title: str) -> str:
    """Questions lost layer by layer: `(name, from, to, kind)` with kind `total`, `loss` or `left`."""
    if not steps:
        return ""
    total = max(max(start, end) for _, start, end, _ in steps)
    colours = {"total": svg.MUTED, "loss": svg.BAD, "left": svg.GOOD}

    def plot(axes: Any) -> None:
        for y, (_, start, end, kind) in enumerate(steps):
            low, width = min(start, end), abs(end - start)
            axes.barh(y, width, left=low, height=0.56, color=colours.get(kind, svg.BAD))
            sign = "−" if kind == "loss" else ""
            axes.text(
                max(start, end) + total * 0.012, y, f"{sign}{width} ({share(width / total)})", va="center", fontsize=9
            )
            if y + 1 < len(steps) and kind != "left":
                axes.plot([end, end], [y + 0.28, y + 0.72], color=svg.MUTED, linewidth=0.8)
        axes.set_xlim(0, total * 1.16)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(len(steps) - 0.4, -0.6)
        axes.set_yticks(range(len(steps)), [name for name, *_ in steps])
        _bare(axes)

    return svg.draw(6.8, 0.45 + 0.36 * len(steps), plot, title)


@svg.once
def knob_curve(knob: str, series: Mapping[str, Sequence[tuple[float, Interval]]], title: str) -> str:
    """Measures over one numeric knob, with bands of the intervals."""
    drawn = {name: sorted(points) for name, points in series.items() if len(points) > 1}
    if not drawn:
        return ""

    def plot(axes: Any) -> None:
        for number, (name, points) in enumerate(drawn.items()):
            _line(axes, number, name, points)
        ticks = sorted({x for points in drawn.values() for x, _ in points})
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
        axes.set_ylim(0, 1.03)
        axes.set_xlabel(knob)
        axes.grid(axis="y")
        axes.tick_params(length=0)
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1), labelcolor=svg.INK)

    return svg.draw(7.6, 3.4, plot, title)


@svg.once
def grouped_bars(variants: Sequence[str], series: Mapping[str, Sequence[Interval | None]], title: str) -> str:
    """One panel row a measure: variants as points with intervals, so that overlap is seen at once."""
    if not variants or not series:
        return ""
    height = len(variants) + 1

    def plot(axes: Any) -> None:
        for block, (name, values) in enumerate(series.items()):
            axes.text(0, block * height - 0.05, name, fontsize=9.5, color=svg.MUTED, va="center")
            for row, value in enumerate(values):
                y = block * height + row + 0.8
                if value is None:
                    axes.text(0.005, y, "–", va="center", color=svg.MUTED)
                    continue
                mean, low, high = value
                axes.barh(y, mean, height=0.62, color=svg.SERIES[row % len(svg.SERIES)])
                if low is not None and high is not None:
                    axes.plot([low, high], [y, y], color=svg.INK, linewidth=1.3)
                axes.text(1.015, y, f"{mean:.3f}", va="center", fontsize=9)
        rows = [block * height + row + 0.8 for block in range(len(series)) for row in range(len(variants))]
        axes.set_yticks(rows, [_short(text, 34) for text in variants] * len(series), fontsize=8.5)
        axes.set_xlim(0, 1.1)
        axes.set_ylim(len(series) * height - 0.2, -0.7)
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"], fontsize=9)
        _bare(axes)

    return svg.draw(7.6, 0.5 + 0.25 * height * len(series), plot, title)


@svg.once
def size_histogram(sizes: Sequence[int], title: str, words: tuple[str, str, str]) -> str:
    """How many chunks have which length, with the median as a line; `words` name the axes and the median.

    Bins are of one round width, at most some thirty; the last holds all above the 99th percentile.
    """
    if not sizes:
        return ""
    ordered = sorted(sizes)
    top = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    width = next(step for step in _WIDTHS if top / step <= _BINS)
    last = top // width
    counts = Counter(min(size // width, last) for size in sizes)
    middle = median(sizes)

    def plot(axes: Any) -> None:
        xs = sorted(counts)
        axes.bar([(x + 0.5) * width for x in xs], [counts[x] for x in xs], width=width * 0.9, color=svg.ACCENT)
        axes.axvline(middle, color=svg.SECOND, linewidth=1.5)
        axes.annotate(
            f"{words[2]} {middle:,.0f}", (middle, 1), xycoords=("data", "axes fraction"), xytext=(5, -9),
            textcoords="offset points", color=svg.SECOND, fontsize=9,
        )  # fmt: skip
        axes.set_xlim(0, (last + 1) * width)
        axes.set_ylim(0, 1.2 * max(counts.values()))
        axes.set_xlabel(words[0])
        axes.set_ylabel(words[1])
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.tick_params(length=0)
        axes.grid(axis="y")

    return svg.draw(5.2, 2.6, plot, title)


def wrap(text: str) -> str:
    """A column heading on up to three lines; Chinese is broken anywhere, English at blanks."""
    lines: list[str] = []
    for word in text.split(" "):
        while sum(2 if ord(c) > 0x2E7F else 1 for c in word) > _WRAP and any(ord(c) > 0x2E7F for c in word):
            lines.append(word[: _WRAP // 2])
            word = word[_WRAP // 2 :]
        if lines and len(lines[-1]) + len(word) < _WRAP and lines[-1].isascii():
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines[:3])


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _line(axes: Any, number: int, name: str, points: Sequence[tuple[float, Interval]]) -> None:
    colour = svg.SERIES[number % len(svg.SERIES)]
    xs = [x for x, _ in points]
    dash = "-" if number < len(svg.SERIES) else "--"
    means = [value[0] for _, value in points]
    axes.plot(xs, means, color=colour, linestyle=dash, marker="o", markersize=4, linewidth=1.8, label=name)
    if all(value[1] is not None and value[2] is not None for _, value in points):
        axes.fill_between(
            xs, [v[1] for _, v in points], [v[2] for _, v in points], color=colour, alpha=0.15, linewidth=0
        )


def _bare(axes: Any) -> None:
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x")


def _box(x: float, y: float, width: float, height: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, facecolor=colour, linewidth=0)
