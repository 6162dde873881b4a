"""The gate's decision on one measure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragbench.gate.chosen import Chosen
from ragbench.gate.loss import Loss, loss_of
from ragbench.gate.options import BLOCK, GateOptions
from ragbench.gate.pairs import Pairs, pairs_of, worst_mean
from ragbench.gate.result import CategoryRow, Outcome, Reason, Row
from ragbench.gate.side import Side


def row_of(one: Chosen, sides: tuple[Side, Side], options: GateOptions, seed: int, distrust: Sequence[Reason]) -> Row:
    """One measure over the two sides, before and now. `distrust` says why nothing may rest on its judge, where it is a
    judged one."""
    before, now = sides
    name = one.measure.name
    pairs = pairs_of(one.measure, before.columns.get(name, {}), now.columns.get(name, {}), now.categories)
    loss = loss_of(pairs, options.margin, seed)
    level = worst_mean(one.measure, now.columns.get(name, {}))
    floor = options.floors.get(name)
    outcome, reasons = (
        _before_the_test(one, pairs, sides, distrust) or _by_level(one, pairs, level, floor) or _by_loss(loss, options)
    )
    return Row(
        measure=name,
        higher_is_better=one.measure.higher_is_better,
        judged=one.measure.judged,
        outcome=outcome,
        before=worst_mean(one.measure, before.columns.get(name, {})),
        now=level,
        loss=loss,
        floor=floor,
        appeared=pairs.appeared,
        vanished=pairs.vanished,
        failed=pairs.failed,
        saturated=pairs.saturated,
        reasons=tuple(reasons),
    )


def _before_the_test(
    one: Chosen, pairs: Pairs, sides: tuple[Side, Side], distrust: Sequence[Reason]
) -> tuple[Outcome, list[Reason]] | None:
    """What is settled by what the measure is and by what there is of it."""
    if one.shown_for:
        return Outcome.SHOWN, [Reason(one.shown_for)]
    if lacking := _lacking(one.measure.name, pairs, sides):
        return Outcome.CANNOT_TELL, lacking
    if not (one.asked or pairs.n or pairs.appeared or pairs.vanished):
        return Outcome.NONE, [Reason("applies_nowhere")]
    if one.measure.judged and distrust:
        return Outcome.CANNOT_TELL, list(distrust)
    return None


def _by_level(
    one: Chosen, pairs: Pairs, level: float | None, floor: float | None
) -> tuple[Outcome, list[Reason]] | None:
    """What is settled by today's level alone."""
    if floor is not None and level is not None and _under(level, floor, one.measure.higher_is_better):
        return Outcome.REGRESSION, [Reason("under_floor", {"level": level, "floor": floor})]
    return None if pairs.n else (Outcome.CANNOT_TELL, [Reason("no_pairs")])


def _by_loss(loss: Loss, options: GateOptions) -> tuple[Outcome, list[Reason]]:
    """What the paired loss says."""
    if loss.confirmed:
        return Outcome.REGRESSION, []
    if not loss.beyond_margin:
        return Outcome.PASS, []
    return Outcome.CANNOT_TELL if options.on_uncertain == BLOCK else Outcome.UNCONFIRMED, [Reason("unconfirmed")]


def _lacking(name: str, pairs: Pairs, sides: tuple[Side, Side]) -> list[Reason]:
    """Scores that are not there at all, or not of every question."""
    places = [code for code, side in zip(("no_scores_before", "no_scores_now"), sides) if name not in side.columns]
    if places:
        return [Reason(code, {"measure": name}) for code in places]
    return [Reason("part_scored", {"n": len(pairs.missing), "ids": list(pairs.missing)})] if pairs.missing else []


def _under(level: float, floor: float, higher_is_better: bool) -> bool:
    return level < floor - 1e-9 if higher_is_better else level > floor + 1e-9


def overall(rows: Collection[Row], categories: Collection[CategoryRow]) -> Outcome:
    """A regression anywhere is one; else what cannot be told of a measure cannot be told; a gate that tested nothing
    neither."""
    outcomes = {row.outcome for row in rows}
    if Outcome.REGRESSION in outcomes | {one.outcome for one in categories}:
        return Outcome.REGRESSION
    if Outcome.CANNOT_TELL in outcomes or not outcomes & {Outcome.PASS, Outcome.UNCONFIRMED}:
        return Outcome.CANNOT_TELL
    return Outcome.PASS
