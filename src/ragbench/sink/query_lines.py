"""What query understanding said, cost and changed, in a few lines and one table of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import number, signed

TOLD = 6
"""Class errors in the table."""

Row = Mapping[str, Any]


def query_lines(summary: Mapping[str, Any]) -> list[str]:
    """A line on oracles, one on classes and tiers, one on what a classifier saw in training, one on what the transform
    changed; nothing for what is not there."""
    query = summary.get("query") or {}
    slots = ", ".join(summary.get("oracle") or ())
    lines = [f"oracle: {slots} reads gold of the questions; an upper reference, no system"] if slots else []
    lines += [_classes(kind, query[kind]) for kind in ("complexity", "category") if query.get(kind)]
    lines += [_not_held_out(row) for row in query.get("not_held_out") or ()]
    downstream, cost = query.get("downstream"), query.get("cost") or {}
    if downstream and downstream["n"]:
        lines.append(_changed(downstream))
    if cost.get("n") and (downstream or cost["calls"]):
        lines.append(_cost(cost))
    return lines


def class_errors(summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]], str]:
    """Head, rows and a closing line of the table of class errors and what they gained or lost; no rows: no table."""
    downstream = (summary.get("query") or {}).get("downstream") or {}
    rows = [row for row in downstream.get("by_class") or () if row["called"] != row["was"]]
    if not rows or not downstream["n"] or not any(_moves(row) for row in rows):
        return [], [], ""
    shown = _shown(rows[0])
    head = ["called", "was", "n", *(f"{name} gain" for name in shown)]
    told = [
        [row["called"], row["was"], str(row["n"]), *(_short(row["measures"][name]) for name in shown)]
        for row in rows[:TOLD]
    ]
    left = len(rows) - TOLD
    return head, told, f"and {left} more class errors, see the report" if left > 0 else ""


def _shown(row: Row) -> tuple[str, str]:
    """The measures of the table: recall, and what was handed on."""
    names = list(row["measures"])
    return names[0], names[-1]


def _moves(row: Row) -> bool:
    return any(row["measures"][name]["gain"] for name in _shown(row))


def _classes(kind: str, table: Row) -> str:
    tiers = [_tier(tier, row) for tier, row in table["tiers"].items()]
    said = f"{kind}: " + " · ".join(tiers)
    if table["accuracy"] is None:
        return said
    return f"{said} · accuracy {number(table['accuracy'])} ({number(table['low'])} to {number(table['high'])})"


def _not_held_out(row: Row) -> str:
    seen = f"{row['n']} of {row['of']} questions ({row['data']}, split {row['split']})"
    return f"not held out: the {row['label']} model was trained on {seen}; accuracy over them is no result"


def _tier(name: str, row: Row) -> str:
    right = f" at {number(row['accuracy'])}" if name != "abstained" and row["labelled"] else ""
    return f"{name} {row['share']:.0%}{right}"


def _changed(table: Row) -> str:
    names: Sequence[str] = list(table["measures"])[:2]
    cells = [(name, table["measures"][name]) for name in names]
    gains = [f"{name} {number(cell['before'])} → {number(cell['after'])}, {_gain(cell)}" for name, cell in cells]
    return f"query: {' · '.join(gains)} · helped {table['n_helpful']}, harmed {table['n_harmful']} of {table['n']}"


def _cost(cost: Row) -> str:
    each, ms = cost["per_question"], cost.get("ms") or {}
    parts = [
        f"{each['calls']:.3g} calls",
        "tokens unknown" if each["tokens"] is None else f"{each['tokens']:,.4g} tokens",
        f"{each['searches']:.3g} searches a question",
    ]
    parts += [f"p50 {ms['p50']:.3g} ms"] if ms.get("p50") is not None else []
    parts += [f"fell back {cost['fallbacks']} times"] if cost["fallbacks"] else []
    return "query: " + " · ".join(parts)


def _gain(cell: Row) -> str:
    if cell["low"] is None:
        return signed(cell["gain"])
    return f"{signed(cell['gain'])} ({signed(cell['low'])} to {signed(cell['high'])})"


def _short(cell: Row) -> str:
    """A gain in two digits, so that the table keeps to eighty columns."""
    said = f"{cell['gain']:+.2f}".replace("-", "−")
    if cell["low"] is None:
        return said
    return f"{said} [{cell['low']:+.2f}, {cell['high']:+.2f}]".replace("-", "−")
