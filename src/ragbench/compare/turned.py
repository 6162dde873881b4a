"""Questions that one run gets right and the other does not, with the layer that lost them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbench.compare.side import Side
from ragbench.evaluate.losses import Loss

_UNDECIDED = frozenset({Loss.UNJUDGED})


@dataclass(frozen=True, slots=True)
class TurnedQuestion:
    """A question whose outcome differs: `loss` is the first layer that lost it in the run that did, `why` its words."""

    question_id: str
    category: str
    loss: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Turned:
    """Outcomes of the questions both runs were asked. `won` are lost by A and right in B, `lost` the other way round,
    `moved` lost by both in different layers. Questions that no judge decided in one of the runs are `undecided`.

    `note` says why nothing is told: `judges` (different ones) or `no_diagnosis`.
    """

    both_right: int = 0
    both_lost: int = 0
    won: tuple[TurnedQuestion, ...] = ()
    lost: tuple[TurnedQuestion, ...] = ()
    moved: int = 0
    undecided: int = 0
    note: str = ""

    def reasons(self, rows: Sequence[TurnedQuestion]) -> Mapping[str, int]:
        """How many questions by the layer that lost them, in the order of the layers."""
        counts = Counter(row.loss for row in rows)
        order = [loss.value for loss in Loss]
        return {name: counts[name] for name in sorted(counts, key=lambda one: (order.index(one), one))}


def turned(a: Side, b: Side, questions: Sequence[str], one_judge: bool) -> Turned:
    """Compare outcomes question by question. A question that failed is lost, by `failed`."""
    if not a.outcomes or not b.outcomes:
        return Turned(note="no_diagnosis")
    if not one_judge:
        return Turned(note="judges")
    won: list[TurnedQuestion] = []
    lost: list[TurnedQuestion] = []
    counts = Counter[str]()
    for key in questions:
        (before, why_before), (after, why_after) = (one.outcomes.get(key, (Loss.UNJUDGED, "")) for one in (a, b))
        category = a.categories.get(key, "")
        if {before, after} & _UNDECIDED:
            counts["undecided"] += 1
        elif before == after:
            counts["both_right" if before == Loss.OK else "both_lost"] += 1
        elif after == Loss.OK:
            won.append(TurnedQuestion(key, category, before, why_before))
        elif before == Loss.OK:
            lost.append(TurnedQuestion(key, category, after, why_after))
        else:
            counts["both_lost"] += 1
            counts["moved"] += 1
    return Turned(
        both_right=counts["both_right"],
        both_lost=counts["both_lost"],
        won=tuple(won),
        lost=tuple(lost),
        moved=counts["moved"],
        undecided=counts["undecided"],
    )
