"""What can be said of a claim, and what stands behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragbench.stats.paired import Difference

CONFIRMED, REFUTED, CANNOT_TELL = "confirmed", "refuted", "cannot_tell"

FEWEST = 20
"""Pairs below which nothing is decided, and a set or language is not asked whether it agrees."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why nothing is decided, as a code of the report's words and the values for them."""

    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Criterion:
    """What an interval must satisfy: `above` and `at_least` a bound, `below` and `at_most` one, `between` two, or
    `within` two that are logarithms of a ratio."""

    kind: str
    low: float = 0.0
    high: float = 0.0

    def outcome(self, found: Difference) -> str:
        """Confirmed or refuted where the whole interval is on one side; the bound itself belongs to all but
        `above` and `below`."""
        if found.low is None or found.high is None:
            return CANNOT_TELL
        holds = {
            "above": found.low > self.low,
            "at_least": found.low >= self.low,
            "below": found.high < self.high,
            "at_most": found.high <= self.high,
            "between": self.low <= found.low and found.high <= self.high,
            "within": self.low <= found.low and found.high <= self.high,
        }[self.kind]
        fails = {
            "above": found.high <= self.low,
            "at_least": found.high < self.low,
            "below": found.low >= self.high,
            "at_most": found.low > self.high,
            "between": found.high < self.low or found.low > self.high,
            "within": found.high < self.low or found.low > self.high,
        }[self.kind]
        return CONFIRMED if holds else REFUTED if fails else CANNOT_TELL


@dataclass(frozen=True, slots=True)
class Group:
    """One eval set or language of a leg. `excluded` is the code of why it takes no part (empty: it does)."""

    name: str
    found: Difference
    outcome: str
    excluded: str = ""


@dataclass(frozen=True, slots=True)
class Leg:
    """One comparison that a check rests on: variant `a` against `b`, gains counted in the better direction."""

    a: str
    b: str
    metric: str
    test: Criterion
    pooled: Difference
    sets: tuple[Group, ...]
    languages: tuple[Group, ...]
    outcome: str
    reason: Reason = Reason()


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of one check; `facts` are what its rule found on the way (the knee, the best sizes)."""

    outcome: str
    reason: Reason
    legs: tuple[Leg, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)


def all_of(legs: Sequence[Leg], facts: Mapping[str, object] | None = None) -> Checked:
    """Confirmed when every leg is, refuted when any is; otherwise the first undecided leg says why not."""
    outcomes = [leg.outcome for leg in legs]
    undecided = next((leg.reason for leg in legs if leg.outcome == CANNOT_TELL), Reason())
    if REFUTED in outcomes:
        return Checked(REFUTED, Reason(), tuple(legs), facts or {})
    outcome = CONFIRMED if legs and set(outcomes) == {CONFIRMED} else CANNOT_TELL
    return Checked(outcome, undecided, tuple(legs), facts or {})
