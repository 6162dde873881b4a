"""What annotators agree on among themselves: the most that a judge can be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from ragbench.agreement.figures import value_of

Votes = Sequence[Sequence[bool]]


def one_against_the_others(votes: Votes) -> dict[str, float]:
    """Balanced accuracy and κ of each vote against the majority of the other votes of its answer, over all votes.

    Ties of the others are left out; answers with one vote say nothing. Empty where nothing is left.
    """
    pairs = [
        (sum(others) * 2 > len(others), own)
        for of_one in votes
        for own, others in ((of_one[at], [*of_one[:at], *of_one[at + 1 :]]) for at in range(len(of_one)))
        if others and sum(others) * 2 != len(others)
    ]
    return _agreed([truth for truth, _ in pairs], [own for _, own in pairs], ("balanced_accuracy", "kappa"))


def pairwise_kappa(votes: Votes) -> dict[str, float]:
    """κ over all ordered pairs of two votes on one answer; empty where no answer has two."""
    pairs = [
        (one, two)
        for of_one in votes
        for at, one in enumerate(of_one)
        for place, two in enumerate(of_one)
        if at != place
    ]
    return _agreed([one for one, _ in pairs], [two for _, two in pairs], ("kappa",))


def rating_against_the_others(ratings: Sequence[Sequence[float]]) -> dict[str, float]:
    """Spearman of each rating with the mean of the other ratings of its answer, over all ratings."""
    pairs = [
        (fmean([*of_one[:at], *of_one[at + 1 :]]), of_one[at])
        for of_one in ratings
        for at in range(len(of_one))
        if len(of_one) > 1
    ]
    return _agreed([others for others, _ in pairs], [own for _, own in pairs], ("spearman",))


def _agreed(one: Sequence[float], two: Sequence[float], kinds: Sequence[str]) -> dict[str, float]:
    if not one:
        return {}
    left, right = np.array(one, dtype=np.float64), np.array(two, dtype=np.float64)
    found = {kind: value_of(kind, left, right) for kind in kinds}
    return {kind: round(value, 6) for kind, value in found.items() if not np.isnan(value)}
