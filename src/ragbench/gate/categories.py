"""The same tests within each category, corrected for their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragbench.gate.loss import LEVEL, Loss, loss_of
from ragbench.gate.options import GateOptions
from ragbench.gate.pairs import pairs_of
from ragbench.gate.result import CategoryRow, Outcome
from ragbench.gate.side import Side
from ragbench.measure.base import Measure
from ragbench.stats.paired import holm


def category_rows(
    measures: Sequence[Measure], sides: tuple[Side, Side], options: GateOptions, seed: int
) -> tuple[CategoryRow, ...]:
    """Each measure in each category that has pairs of it, in order of the categories' names.

    A category with fewer than `min_pairs` pairs is not tested. A tested one is a regression where its loss is confirmed
    and Holm's p over all category tests (one-sided) is below 0.05; a loss beyond the margin that is not told so is
    unconfirmed, which blocks nothing: categories are many and small, and the test over all questions is the one that
    must be able to tell.
    """
    before, now = sides
    found: list[tuple[str, str, Loss]] = []
    for category, questions in _groups(now.categories).items():
        for one in measures:
            pairs = pairs_of(one, before.columns[one.name], now.columns[one.name], questions)
            if pairs.n:
                found.append((category, one.name, loss_of(pairs, options.margin, seed)))
    tested = [loss.n >= options.min_pairs for _, _, loss in found]
    adjusted = holm([loss.p if enough else None for (_, _, loss), enough in zip(found, tested)])
    return tuple(
        CategoryRow(category, name, _outcome(loss, p, enough), loss, p)
        for (category, name, loss), p, enough in zip(found, adjusted, tested, strict=True)
    )


def _outcome(loss: Loss, p: float | None, enough: bool) -> Outcome:
    if not enough:
        return Outcome.TOO_FEW
    if loss.confirmed and p is not None and p < 1 - LEVEL:
        return Outcome.REGRESSION
    return Outcome.UNCONFIRMED if loss.beyond_margin else Outcome.PASS


def _groups(categories: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {category: [] for category in sorted(set(categories.values()))}
    for question, category in categories.items():
        found[category].append(question)
    return found
