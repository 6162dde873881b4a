"""An experiment file as a value: the claim, the baseline, the one thing varied, and how the verdict is reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import PurePosixPath

TIMING = "timing/split_ms"
"""Milliseconds of cutting 10 000 characters, vectors included and nothing taken from a cache."""

QUERY_TIMING = "timing/query_ms"
"""Milliseconds of one question as a deployed system takes them: see `ragbench.experiment.query_timing`."""

RIGHT = "diagnosis/right"
"""Whether the diagnosis of a run finds nothing wrong with a question: see `ragbench.experiment.diagnosed`."""

BEFORE_GENERATION = "diagnosis/lost_before_generation"
"""Of the questions that the diagnosis calls lost, whether it was before anything was generated."""

AGREEMENT = "judge/"
"""Stands before a figure of a judge's card: `judge/auroc`, `judge/balanced_accuracy`, `judge/kappa`."""

DERIVED = {
    "timing/": (TIMING, QUERY_TIMING),
    "diagnosis/": (RIGHT, BEFORE_GENERATION),
    AGREEMENT: ("judge/auroc", "judge/balanced_accuracy", "judge/kappa"),
}
"""What checks may read beside measures, by what it begins with."""


def is_derived(metric: str) -> bool:
    """Whether a check reads it from something else than the scores of a run."""
    return metric.startswith(tuple(DERIVED))


TUNED_RULES = ("tuned_gain_at_most", "best_near", "category_gain")
"""Rules that choose a value; they choose it on other questions than those that tell what it is worth."""

QUESTION_FACETS = ("category", "language", "split", "turn", "complexity")
"""By what a check may choose questions; `turn` is `first_turn` or `follow_up`, `complexity` the gold class."""

_NUMBER = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*%?\s*")


@dataclass(frozen=True, slots=True)
class AskedSet:
    """An eval set of a study: shipped or in `./eval_sets` by name, or made by `recipe`.

    `recipe` are the words of `ragbench eval-set import` without the target: format, path below the data folder,
    options.
    """

    name: str
    version: str = "v1"
    recipe: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[PurePosixPath, ...]:
        """The recipe's files and folders below the data folder: its words up to the first option."""
        return tuple(map(PurePosixPath, takewhile(lambda word: not word.startswith("-"), self.recipe[1:])))


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the claim, and the rule that decides it.

    `options` are the rule's own (`a`, `b`, `value` name variants; `by`, `margin`, `low`, `high` are numbers; `gains` is
    a list of them). `sets`, `among` (variants), `category`, `language`, `split`, `turn` and `complexity` (of
    questions) empty mean all. `needs` maps a slot to the options that can decide this part; with any other nothing is
    decided.
    """

    rule: str
    metrics: tuple[str, ...]
    options: Mapping[str, str | float | tuple[float, ...]]
    arm: str
    sets: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    category: str = ""
    language: str = ""
    split: str = ""
    turn: str = ""
    complexity: str = ""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)

    @property
    def questions(self) -> dict[str, str]:
        """What is asked of questions, by facet; empty: all of them."""
        facets = {name: getattr(self, name) for name in QUESTION_FACETS}
        return {name: value for name, value in facets.items() if value}

    def number(self, name: str) -> float:
        """A numeric option."""
        value = self.options[name]
        assert not isinstance(value, tuple)
        return float(value)

    def numbers(self, name: str) -> tuple[float, ...]:
        """An option that is a list of numbers."""
        value = self.options[name]
        assert isinstance(value, tuple)
        return value

    def variant(self, name: str) -> str:
        """An option that names a variant."""
        return str(self.options[name])


@dataclass(frozen=True, slots=True)
class Study:
    """One research question.

    `base`, `arms` and `variants` are overrides by key; an arm is a setting in which the same thing is varied again.
    `key` is what is varied (empty: named variants); `axis` gives each variant its number where the values are numbers.
    `optional` variants are run only where their models are on the machine.
    """

    name: str
    claim: Mapping[str, str]
    base: Mapping[str, str]
    arms: Mapping[str, Mapping[str, str]]
    variants: Mapping[str, Mapping[str, str]]
    key: str
    baseline: str
    sets: tuple[AskedSet, ...]
    metrics: tuple[str, ...]
    checks: tuple[Check, ...]
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: tuple[str, ...] = ()

    @property
    def axis(self) -> Mapping[str, float]:
        """The number of each variant, in ascending order; empty where what is varied has no order."""
        found = {name: _NUMBER.fullmatch(name) for name in self.variants} if self.key else {}
        if not found or not all(found.values()):
            return {}
        numbers = {name: float(match[1]) for name, match in found.items() if match}
        return dict(sorted(numbers.items(), key=lambda pair: pair[1]))

    @property
    def order(self) -> tuple[str, ...]:
        """The variants, ascending where they have numbers, else as the file gives them."""
        return tuple(self.axis or self.variants)

    @property
    def varied_keys(self) -> frozenset[str]:
        """Keys that the arms or variants set."""
        return frozenset(key for group in (self.arms, self.variants) for one in group.values() for key in one)

    @property
    def timed(self) -> bool:
        """Whether cutting is timed."""
        return any(TIMING in check.metrics for check in self.checks)

    @property
    def timed_queries(self) -> tuple[tuple[str, str], ...]:
        """Arm and variant of each whose questions are timed."""
        asked = [check for check in self.checks if QUERY_TIMING in check.metrics]
        return tuple(dict.fromkeys((check.arm, check.variant(side)) for check in asked for side in ("a", "b")))

    @property
    def asks_people(self) -> bool:
        """Whether a check reads how far judges agree with people."""
        return any(check.rule == "agrees" for check in self.checks)

    @property
    def tunes(self) -> bool:
        """Whether a check chooses a value, for which it needs questions apart."""
        return any(check.rule in TUNED_RULES for check in self.checks)
