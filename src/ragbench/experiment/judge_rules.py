"""Rules about judges against people's labels, read from the judge's card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.experiment.legs import Evidence, leg_found
from ragbench.experiment.outcome import CANNOT_TELL, Checked, Criterion, Group, Leg, Reason, all_of
from ragbench.experiment.plan import Cell
from ragbench.experiment.study import AGREEMENT, Check
from ragbench.stats.paired import Difference


def agrees(evidence: Evidence, check: Check) -> Checked:
    """The judge of `variant` agrees with the labels of `people` (a human-labelled set) by at least `low` in a figure:
    `judge/auroc`, `judge/balanced_accuracy` or `judge/kappa`.

    Figure and interval are those of the judge's card, where whole groups of answers are drawn; `facts` hold those of
    word overlap and of people among themselves, where there are some.
    """
    variant, people = check.variant("variant"), check.variant("people")
    cells = [Cell(name, check.arm, variant) for name in evidence.sets]
    if gone := next((why for cell in cells if (why := evidence.absent(cell))), ""):
        return Checked(CANNOT_TELL, Reason(gone))
    card = next((evidence.cards[cell] for cell in cells if evidence.cards.get(cell)), None)
    row = _row(card, people, check.metrics[0])
    if card is None or row is None:
        return Checked(CANNOT_TELL, Reason("no_labels", {"people": people}))
    facts = {"people": people, "overlap": (row["overlap"] or {}).get("value"), "among": row["people"]}
    return all_of([_leg(check, card["people"][people], row["judge"])], facts)


def _row(card: Mapping[str, Any] | None, people: str, metric: str) -> Mapping[str, Any] | None:
    """The row of a figure in a card; None where it is not there or not defined."""
    rows = (((card or {}).get("people") or {}).get(people) or {}).get("rows") or ()
    name = metric.removeprefix(AGREEMENT)
    return next((row for row in rows if row["measure"] == name and row["judge"]["value"] is not None), None)


def _leg(check: Check, known: Mapping[str, Any], figure: Mapping[str, Any]) -> Leg:
    found = Difference(figure["value"], figure["low"], figure["high"], None, figure["n"])
    test = Criterion("at_least", low=check.number("low"))
    sets = (Group(check.variant("people"), found, test.outcome(found)),)
    languages = (Group(known["language"], found, test.outcome(found)),)
    return leg_found((check.variant("variant"), ""), check.metrics[0], test, found, (sets, languages))
