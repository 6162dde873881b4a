"""The chart of what quality costs in a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragbench.report import svg

_NAMED = 8


@svg.once
def front_plot(
    rows: Sequence[tuple[str, float, float, bool]], words: tuple[str, str], title: str, higher: bool = True
) -> str:
    """Variants as `(name, milliseconds, mean, on the front)`; those on the front are joined by a line and named, up to
    eight of them. `words` name the axes. Empty for fewer than two variants."""
    if len(rows) < 2:
        return ""
    best = sorted((row for row in rows if row[3]), key=lambda row: (row[1], row[2]))

    def plot(axes: Any) -> None:
        rest = [row for row in rows if not row[3]]
        axes.scatter([row[1] for row in rest], [row[2] for row in rest], s=26, color=svg.MUTED, alpha=0.6, linewidths=0)
        xs, ys = [row[1] for row in best], [row[2] for row in best]
        axes.plot(xs, ys, color=svg.ACCENT, marker="o", markersize=6, linewidth=1.6, drawstyle="steps-post")
        for number, (name, x, y, _) in enumerate(best[:_NAMED], 1):
            axes.annotate(
                str(number), (x, y), xytext=(0, 7 if higher else -13), textcoords="offset points", ha="center",
                fontsize=9, color=svg.ACCENT,
            )  # fmt: skip
            axes.plot([], [], linestyle="none", label=f"{number}  {name}")
        axes.margins(0.08, 0.14)
        axes.set_xlabel(words[0])
        axes.set_ylabel(words[1])
        axes.grid()
        axes.tick_params(length=0)
        axes.figure.legend(frameon=False, loc="outside lower left", handlelength=0, labelcolor=svg.INK, fontsize=9)

    return svg.draw(6.4, 3.2 + 0.2 * min(len(best), _NAMED), plot, title)
