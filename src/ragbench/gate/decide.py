"""A run held against its baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragbench.evaluate.health import folded
from ragbench.gate.categories import category_rows
from ragbench.gate.chosen import chosen
from ragbench.gate.judgement import overall, row_of
from ragbench.gate.options import GateOptions
from ragbench.gate.result import CategoryRow, GateResult, Outcome, Reason, Row
from ragbench.gate.side import Side

Card = Mapping[str, Any]
_DECIDING = (Outcome.PASS, Outcome.REGRESSION, Outcome.UNCONFIRMED, Outcome.CANNOT_TELL)


def decide(now: Side, before: Side | None, options: GateOptions, seed: int, card: Card | None = None) -> GateResult:
    """Test a run against its baseline; None: there is no baseline. `card` is that of the run's judge in short; None:
    nothing was judged."""
    reasons = tuple(_incomparable(now, before))
    if before is None or reasons:
        return _result(now, before, options, card, Outcome.CANNOT_TELL, reasons=reasons)
    sides = (before, now)
    doubts = list((card or {}).get("cannot_tell", ()))
    below = (Reason("judge", {"why": doubts}),) if doubts else ()
    other = (Reason("other_judge", _titles(sides)),) if _other_judge(sides) else ()
    stands = card is not None and not below and not other
    wanted = chosen(options, now, stands)
    rows = tuple(row_of(one, sides, options, seed, (*other, *below)) for one in wanted)
    tested = [one.measure for one, row in zip(wanted, rows) if row.outcome in _DECIDING and row.loss.n]
    trusted = [one for one in tested if not (one.judged and (other or below))]
    by_category = category_rows(trusted, sides, options, seed) if options.categories else ()
    outcome = overall(rows, by_category)
    notes = tuple(_notes(sides, rows, by_category))
    return _result(now, before, options, card, outcome, notes=notes, rows=rows, categories=by_category)


def _result(
    now: Side, before: Side | None, options: GateOptions, card: Card | None, outcome: Outcome, **found: Any
) -> GateResult:
    return GateResult(
        outcome=outcome,
        eval_set=str(now.eval_set.get("name")),
        run_id=str(now.facts["run_id"]),
        baseline={name: before.facts[name] for name in ("run_id", "label", "started")} if before else {},
        options={"margin": options.margin, "min_pairs": options.min_pairs, "on_uncertain": options.on_uncertain},
        judge=str(now.facts["judge"].get("title", "")),
        judge_card=card,
        **found,
    )


def _incomparable(now: Side, before: Side | None) -> Iterator[Reason]:
    """Why a run is no result, or none that this baseline can be held against."""
    for problem in folded(now.problems):
        yield Reason("unhealthy", {"why": problem})
    if now.oracle:
        yield Reason("oracle", {"slots": list(now.oracle)})
    if before is None:
        yield Reason("no_baseline")
        return
    if before.eval_set["lock"] != now.eval_set["lock"]:
        yield Reason("other_lock", {"before": _set(before), "now": _set(now)})
    elif list(before.categories) != list(now.categories):
        yield Reason("other_questions", {"before": _part(before), "now": _part(now)})


def _other_judge(sides: Sequence[Side]) -> bool:
    before, now = (side.facts["judge"].get("key") for side in sides)
    return bool(before != now)


def _titles(sides: Sequence[Side]) -> dict[str, Any]:
    before, now = (side.facts["judge"].get("title") or "none" for side in sides)
    return {"before": before, "now": now}


def _set(side: Side) -> str:
    found = side.eval_set
    return f"{found['name']}/{found['version']} {str(found['lock'])[:19]}"


def _part(side: Side) -> str:
    return f"{len(side.categories)} of split {side.eval_set['split']}"


def _notes(sides: tuple[Side, Side], rows: Sequence[Row], categories: Sequence[CategoryRow]) -> Iterator[Reason]:
    before, now = sides
    if before.facts["runtime"] != now.facts["runtime"]:
        yield Reason("other_runtime", {"before": before.facts["runtime"], "now": now.facts["runtime"]})
    if _other_judge(sides) and not any(row.judged and row.outcome in _DECIDING for row in rows):
        yield Reason("other_judge_unread", _titles(sides))
    versions = [str(side.made.get("ragbench")) for side in sides]
    if now.made and versions[0] != versions[1]:
        yield Reason("other_version", dict(zip(("before", "now"), versions)))
    changed = changes(before.facts["variant"], now.facts["variant"])
    if changed:
        yield Reason("changed", {"changes": changed})
    if before.copies != now.copies:
        yield Reason("now_copies" if now.copies else "now_writes")
    if not any(row.outcome in _DECIDING for row in rows):
        yield Reason("nothing_tested")
    gating = [row for row in rows if row.outcome in _DECIDING and row.loss.n]
    blind = [row.measure for row in gating if row.loss.blind]
    if blind:
        yield Reason("blind", {"measures": blind})
    if saturated := [row.measure for row in rows if all(row.saturated)]:
        yield Reason("saturated", {"measures": saturated})
    old = {row.measure: room for row in gating if (room := row.loss.headroom) is not None}
    if old and overall(rows, categories) is Outcome.PASS:
        yield Reason("old_baseline", {"measures": old})
    unsure = [one for one in categories if one.outcome is Outcome.UNCONFIRMED]
    if unsure:
        yield Reason("categories_unconfirmed", {"tests": [[one.category, one.measure] for one in unsure]})
    enough = {one.category for one in categories if one.outcome is not Outcome.TOO_FEW}
    few: dict[str, int] = {}
    for one in categories:
        if one.category not in enough:
            few[one.category] = max(one.loss.n, few.get(one.category, 0))
    if few:
        yield Reason("too_few", {"categories": few})


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Keys of two variants whose values differ, with both values; a key that one of them lacks is None there."""
    keys = dict.fromkeys([*before, *now])
    return [(key, before.get(key), now.get(key)) for key in keys if before.get(key) != now.get(key)]
