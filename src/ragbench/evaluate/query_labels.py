"""Predicted labels of questions as the tables of a summary: confusion, accuracy, and the share of each tier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ragbench.measure.query.classification import ABSTAINED, confusion, macro_f1
from ragbench.measure.query.complexity import ABSTENTIONS
from ragbench.stats.paired import Difference, paired_differences


@dataclass(frozen=True, slots=True)
class Guess:
    """What was said of the question at `row`, what it is (None: it has no label), who said it, and calls of models that
    saying it took (None: not told)."""

    row: int
    said: str | None
    was: str | None
    tier: str
    calls: int | None

    @property
    def called(self) -> str:
        """The label, `abstained` where nobody would decide."""
        return ABSTAINED if self.said in ABSTENTIONS else str(self.said)


def label_tables(guesses: Mapping[str, Sequence[Guess]], seed: int) -> dict[str, Any]:
    """A table for each kind of label; None for one that was predicted for no question."""
    return {kind: _table(found, seed) if found else None for kind, found in guesses.items()}


def _table(guesses: Sequence[Guess], seed: int) -> dict[str, Any]:
    labelled = [one for one in guesses if one.was]
    was, called = [str(one.was) for one in labelled], [one.called for one in labelled]
    tiers = Counter(one.tier for one in guesses)
    return {
        "n": len(guesses),
        **_accuracy(labelled, seed),
        "macro_f1": round(macro_f1(was, called), 12) if labelled else None,
        "confusion": confusion(was, called) if labelled else {},
        "calls": _calls(guesses),
        "tiers": {tier: _tier([one for one in guesses if one.tier == tier], len(guesses), seed) for tier in tiers},
    }


def _tier(guesses: Sequence[Guess], n: int, seed: int) -> dict[str, Any]:
    return {
        "n": len(guesses),
        "share": round(len(guesses) / n, 12),
        **_accuracy([one for one in guesses if one.was], seed),
        "calls": _calls(guesses),
    }


def _calls(guesses: Sequence[Guess]) -> float | None:
    """Their mean; None where one is not told."""
    told = [one.calls for one in guesses if one.calls is not None]
    return round(sum(told) / len(guesses), 6) if len(told) == len(guesses) else None


def _accuracy(labelled: Sequence[Guess], seed: int) -> dict[str, Any]:
    """Share of right labels with its bootstrap interval; an abstention counts 0."""
    found = _share(bytes(one.called == one.was for one in labelled), seed)
    return {"labelled": len(labelled), "accuracy": found.mean, "low": found.low, "high": found.high}


@lru_cache(maxsize=64)
def _share(right: bytes, seed: int) -> Difference:
    """The mean of zeros and ones: variants that say the same of all questions have it in common."""
    return paired_differences(np.frombuffer(right, np.uint8).astype(np.float64)[:, None], seed)[0]
