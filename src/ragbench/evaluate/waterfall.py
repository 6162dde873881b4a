"""The loss waterfall: how many questions each layer lost, from all of them down to those answered well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragbench.evaluate.losses import Loss
from ragbench.stats.proportion import wilson

LEAST = 5
"""Questions that a category must have to be told apart from the others."""
_TWICE = 2.0


@dataclass(frozen=True, slots=True)
class Level:
    """A layer that lost `lost` questions; `left` of all are still good after it."""

    name: str
    lost: int
    left: int


def waterfall(counts: Mapping[str, int]) -> list[Level]:
    """The losses with at least one question, in the order of the layers, unknown classes last.

    They add up: the first `left` is the population without the first losses, the last one is `ok`. Empty: no question,
    or none lost.
    """
    known = [loss.value for loss in Loss if loss is not Loss.OK]
    names = [*known, *sorted(set(counts) - set(known) - {Loss.OK.value})]
    left = sum(counts.values())
    levels = []
    for name in names:
        lost = counts.get(name, 0)
        if lost:
            left -= lost
            levels.append(Level(name, lost, left))
    return levels


@dataclass(frozen=True, slots=True)
class StandsOut:
    """One category that loses questions beside others that do not, which points at the class of its questions and where
    that routes them."""

    category: str
    n: int
    lost: int
    n_others: int
    lost_others: int


def standing_out(by_category: Mapping[str, Mapping[str, int]]) -> StandsOut | None:
    """The only category that loses more than all others together: the interval of its lost share (Wilson, 95 %) lies
    above theirs, and its share is at least twice theirs.

    None: no category does, or several. Categories of fewer than five questions are no evidence, and one whose questions
    were answered without evidence says something of refusing, not of routing.
    """
    found = [one for one in _compared(by_category) if _apart(one)]
    return found[0] if len(found) == 1 else None


def _compared(by_category: Mapping[str, Mapping[str, int]]) -> Iterable[StandsOut]:
    sizes = {name: sum(counts.values()) for name, counts in by_category.items()}
    lost = {name: sizes[name] - counts.get(Loss.OK.value, 0) for name, counts in by_category.items()}
    for name, counts in by_category.items():
        unanswerable = counts.get(Loss.FALSE_ANSWER.value, 0)
        if sizes[name] >= LEAST and unanswerable * 2 <= lost[name]:
            others = sum(sizes.values()) - sizes[name], sum(lost.values()) - lost[name]
            yield StandsOut(name, sizes[name], lost[name], *others)


def _apart(one: StandsOut) -> bool:
    if one.n_others < LEAST:
        return False
    low, high = wilson(one.lost, one.n)[0], wilson(one.lost_others, one.n_others)[1]
    return low > high and one.lost / one.n >= _TWICE * one.lost_others / one.n_others


def misrouted(classes: Iterable[tuple[str | None, str | None]]) -> tuple[int, int]:
    """Of pairs of (class labelled, class taken for) with both known: how many differ, and how many there are."""
    pairs = [(label, taken) for label, taken in classes if label and taken]
    return sum(label != taken for label, taken in pairs), len(pairs)
