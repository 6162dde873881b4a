"""What a sweep found, in lines of the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragbench.compare.table import number, signed

Row = Mapping[str, Any]
_NAMED = 4


def findings_lines(findings: Sequence[Row], names: Mapping[str, str]) -> list[str]:
    """The best variant with what cannot be told from it, effects of the axes, knees and the front; `names` are those of
    the variants by run id."""
    return [line for one in findings for line in _of_measure(one, names)]


def _of_measure(one: Row, names: Mapping[str, str]) -> Iterator[str]:
    best = one["best"]
    yield f"{one['measure']}: {_best_line(best, names)}"
    for effect in one["effects"]:
        yield f"  {_effect_line(effect)}"
    for found in one["curves"]:
        if found["knee"] is not None:
            yield f"  {_knee_line(found)}"
    if one["front"]:
        yield f"  {_front_line(one['front'], best, names)}"


def _knee_line(found: Row) -> str:
    if found["knee"] == found["points"][-1]["value"]:
        return (
            f"{found['axis']}: best at {found['best']:g}, the largest that was tried: larger ones may be better still"
        )
    return (
        f"{found['axis']}: best at {found['best']:g}, knee at {found['knee']:g}: from there on more brings nothing "
        f"that these {found['n']} questions can show"
    )


def _best_line(best: Row, names: Mapping[str, str]) -> str:
    named = f"best {names[best['run_id']]} {number(best['mean'])} ({_interval(best)}), {best['n']} questions"
    tied = [names[run_id] for run_id in best["tied"]]
    if not tied:
        return f"{named}; told apart from all {len(best['behind'])} others"
    if len(tied) == 1:
        return f"{named}; {tied[0]} cannot be told from it on this set{_detectable(best)}"
    return f"{named}; {len(tied)} others cannot be told from it on this set: {few(tied)}{_detectable(best)}"


def _detectable(best: Row) -> str:
    """The smallest difference that could have been found, over the variants that were not told apart."""
    found = [row["detectable"] for row in best["behind"] if not row["apart"] and row["detectable"]]
    return f" (differences under about {number(max(found))} cannot be found)" if found else ""


def _effect_line(effect: Row) -> str:
    told = [
        f"{row['value']} {signed(row['mean'])} ({_interval(row, signed)}){'' if row['apart'] else ' ~'}"
        for row in effect["values"]
    ]
    reference = f"{'the base' if effect['is_base'] else 'the best'}, {effect['reference']}"
    return f"{effect['axis']} against {reference}: {' · '.join(told)}"


def _front_line(front: Row, best: Row, names: Mapping[str, str]) -> str:
    rows = sorted((row for row in front["rows"] if row["front"]), key=lambda row: (row["ms"], row["cost"] or 0.0))
    told = ", ".join(f"{names[row['run_id']]} {number(row['mean'])} at {_cost(row, front)}" for row in rows[:_NAMED])
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    able = [row for row in front["rows"] if row["run_id"] in (best["run_id"], *best["tied"])]
    fast = min(able, key=lambda row: row["ms"], default=None)
    also = ""
    if fast is not None and fast["run_id"] != best["run_id"]:
        also = f"; the fastest that cannot be told from the best: {names[fast['run_id']]}"
    return f"nothing is better and cheaper than: {told}{more}{also}"


def _cost(row: Row, front: Row) -> str:
    ms = f"{row['ms']:.1f} ms"
    return f"{ms}, {row['cost']:.4g} {front['unit']}" if front["unit"] else ms


def _interval(row: Row, shown: Any = number) -> str:
    return f"{shown(row['low'])} – {shown(row['high'])}" if row["low"] is not None else "–"


def few(names: Sequence[str]) -> str:
    """The first few names and how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
