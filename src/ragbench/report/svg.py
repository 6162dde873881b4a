"""Matplotlib figures as inline SVG: text stays text, colours are the page's, equal data give equal bytes."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import Any, ParamSpec

INK, MUTED, LINE = "#1d2733", "#5d6b7a", "#d8dee6"
ACCENT, SECOND, GOOD, BAD, PAPER = "#1f6f9f", "#b8631b", "#2f7d54", "#b23b34", "#fdfdfe"
SCALE = ("#f4c9c0", "#f7dcc4", "#f5e9c9", "#e6edd0", "#cfe6d3", "#aedbc6", "#8ccdb8", "#6cbfac")
"""Cells of a heat map from 0 to 1."""

SERIES = (ACCENT, SECOND, GOOD, "#7a5aa6", "#8a6d1f", "#3d8c95", "#a8467c", "#6a7480")

LEAST = 0.72
"""A chart is shrunk to this share of its size and no further, so that its text can be read; then its box scrolls."""

_NAMES = {INK: "ink", MUTED: "muted", LINE: "line", ACCENT: "accent", SECOND: "second", GOOD: "good", BAD: "bad"}
_NAMES |= {PAPER: "paper"} | {colour: f"h{number}" for number, colour in enumerate(SCALE)}
_FONTS = ["DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC"]
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ragbench",
    "font.family": "sans-serif",
    "font.sans-serif": _FONTS,
    "font.size": 10,
    "text.parse_math": False,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "xtick.labelcolor": MUTED,
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.unicode_minus": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


_KEPT = 128
_DRAWN: dict[tuple[str, str], str] = {}
P = ParamSpec("P")


def once(chart: Callable[P, str]) -> Callable[P, str]:
    """A chart that is a function of plain data, drawn once in a process for equal data: runs of a sweep share many, and
    Matplotlib takes a tenth of a second each. The last 128 charts are kept."""

    @wraps(chart)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> str:
        key = (f"{chart.__module__}.{chart.__qualname__}", repr((args, sorted(kwargs.items()))))
        found = _DRAWN.get(key)
        if found is None:
            found = _DRAWN[key] = chart(*args, **kwargs)
            while len(_DRAWN) > _KEPT:
                _DRAWN.pop(next(iter(_DRAWN)), None)
        return found

    return drawn


def forget() -> None:
    """Let charts be drawn anew."""
    _DRAWN.clear()


def draw(width: float, height: float, plot: Callable[[Any], None], title: str) -> str:
    """One `<svg>` element of the given size in inches, drawn by `plot(axes)`; `title` is what a screen reader says.

    Text is left as text in the page's own fonts, so that Chinese needs no font here. Colours of the palette become CSS
    variables, so that the chart follows light and dark.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    for logger in ("matplotlib.font_manager", "matplotlib.text"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    import warnings

    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        # `savefig` draws everything once more before it lays out and writes: this gives the same bytes in less time.
        figure = Figure(figsize=(width, height), dpi=72, layout="constrained")
        canvas: Any = FigureCanvasSVG(figure)
        plot(figure.add_subplot())
        layout = figure.get_layout_engine()
        assert layout is not None
        layout.execute(figure)
        figure.set_layout_engine("none")
        buffer = io.StringIO()
        canvas.print_svg(buffer, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _inline(buffer.getvalue(), title)


def heat(value: float) -> str:
    """The colour of a value in [0, 1]; values outside are clamped."""
    return SCALE[min(len(SCALE) - 1, max(0, int(value * len(SCALE))))]


def _inline(svg: str, title: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    for colour, name in _NAMES.items():
        svg = svg.replace(colour, f"var(--{name},{colour})")
    head, _, rest = svg.partition(">")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
    width = float(box[1]) if box else 600.0
    label = title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    view = f'viewBox="{box[0][9:-1]}"' if box else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view} role="img" '
        f'aria-label="{label}" style="max-width:{width * 4 / 3:.0f}px;min-width:{width * 4 / 3 * LEAST:.0f}px">{rest}'
    )


def own_ids(page: str, prefix: str) -> str:
    """A page in which no two drawings share an id: what a drawing defines gets `prefix` and the drawing's number before
    its name, where it is defined and where it is used."""
    number = count()

    def renamed(found: re.Match[str]) -> str:
        drawing, mine = found[0], f"{prefix}{next(number)}-"
        for name in dict.fromkeys(re.findall(r'<[a-zA-Z]+ id="([^"<>]+)"', drawing)):
            drawing = drawing.replace(f'id="{name}"', f'id="{mine}{name}"')
            drawing = drawing.replace(f'"#{name}"', f'"#{mine}{name}"').replace(f"url(#{name})", f"url(#{mine}{name})")
        return drawing

    return re.sub(r"<svg .*?</svg>", renamed, page, flags=re.S)


def standalone(svg: str) -> str:
    """A chart as a file of its own: on paper of its own and in a font, where no page gives it either."""
    fonts = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
    return svg.replace("<svg ", f'<svg font-family="{fonts}" ', 1).replace('style="', f'style="background:{PAPER};', 1)
