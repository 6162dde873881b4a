"""A diagnosis on the terminal: the waterfall, where each category loses, and what tried changes did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from ragbench.evaluate.aggregate import SMALL
from ragbench.evaluate.waterfall import Level
from ragbench.text.terminal import one_line

WIDTH = 100


def waterfall_table(levels: Sequence[Level], counts: Mapping[str, int], proofs: Mapping[str, str]) -> Table:
    """Layer, questions lost there, questions left after it, and how the proof of its losses went.

    `proofs` has a cell for each layer; without any the column is left out.
    """
    table = _table("layer", "lost", "left", *(("proof",) if proofs else ()))
    total, right = sum(counts.values()), counts.get("ok", 0)
    table.add_row("all questions", "", str(total), *(("",) if proofs else ()))
    for level in levels:
        cell = (proofs.get(level.name, ""),) if proofs else ()
        table.add_row(escape(level.name), str(level.lost), str(level.left), *map(escape, cell))
    table.add_row("[bold]answered well[/bold]", "", f"[bold]{right}[/bold]", *(("",) if proofs else ()))
    return table


def proof_cells(proved: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """A cell for each layer from `(layer, state, what lost it later)` of its questions."""
    cells = {}
    for layer in dict.fromkeys(layer for layer, _, _ in proved):
        own = [(state, later) for name, state, later in proved if name == layer]
        states = Counter(state for state, _ in own)
        if states["no_gold"] == len(own):
            cells[layer] = "nothing to put in"
            continue
        later = Counter(then for state, then in own if state == "not_proved" and then)
        parts = [f"{states['proved']} of {len(own) - states['no_gold']} proved"]
        parts += [f"{n} later {name}" for name, n in later.most_common(3)]
        parts += [f"{states['not_reproduced']} not reproduced"] if states["not_reproduced"] else []
        cells[layer] = ", ".join(parts)
    return cells


def category_table(by_category: Mapping[str, Mapping[str, int]]) -> Table:
    """Questions, questions answered well, and where the others were lost, by category; `*`: fewer than five."""
    table = _table("category", "questions", "well", "lost at")
    small = False
    for category, counts in by_category.items():
        n = sum(counts.values())
        small = small or n < SMALL
        lost = sorted(((name, k) for name, k in counts.items() if k and name != "ok"), key=lambda pair: -pair[1])
        where = " · ".join(f"{name} {k}" for name, k in lost)
        name = one_line(category, 40) + ("*" if n < SMALL else "")
        table.add_row(escape(name), str(n), str(counts.get("ok", 0)), escape(where))
    if small:
        table.caption = f"* fewer than {SMALL} questions"
    return table


def trial_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """What each tried change did; `rows` are those of `Trial.to_json`."""
    table = _table("change", "for", "fixed", "95 %", "broke", "95 %", "net")
    for row in rows:
        change = escape(one_line(" ".join(row["overrides"])))
        if row["failed"]:
            table.add_row(change, row["loss"], "–", "", "–", "", "could not run")
            continue
        fixed, broke = len(row["fixed"]), len(row["broken"])
        table.add_row(
            change,
            row["loss"],
            f"{fixed} of {row['n_lost']}",
            _interval(row["fixed_interval"]),
            f"{broke} of {row['n_right']}",
            _interval(row["broken_interval"]),
            f"{row['net']:+.0f}" + (" helped" if row["helped"] else ""),
        )
    return table


def _interval(found: Sequence[float] | None) -> str:
    return "" if found is None else f"{found[0]:.2f}–{found[1]:.2f}"


def _table(*names: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in names:
        words = name in ("layer", "category", "proof", "lost at", "change", "for", "net")
        table.add_column(name, justify="left" if words else "right", overflow="fold", no_wrap=not words)
    return table
