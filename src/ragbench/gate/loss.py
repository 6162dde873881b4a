"""What a measure lost between two runs, and whether it can be told from chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ragbench.gate.pairs import Floats, Pairs
from ragbench.stats.paired import pooled_difference

LEVEL = 0.95
"""Of the one-sided bound."""

_TWO_SIDED = 1 - 2 * (1 - LEVEL)
"""The level of the interval whose lower end is that bound."""

_Z = 1.644854 + 0.841621
"""Normal quantiles of a one-sided 5 % test and of 80 % power."""

_EQUAL = 1e-9
"""Losses that differ from a margin by less are equal to it: means of floating-point numbers."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss of `n` pairs, in the measure's own unit; below 0 it is a gain.

    `before` and `now` are means of the pairs, `bound` the one-sided lower 95 % bound of the loss and `p` the one-sided
    sign-flip p of there being none. `margin` is the loss that is tolerated. `detectable` is the smallest true loss that
    the test would find four times out of five (see `detectable`). For no pairs all but `n` are None; for one pair
    `bound` is.
    """

    n: int
    before: float | None = None
    now: float | None = None
    loss: float | None = None
    bound: float | None = None
    p: float | None = None
    margin: float | None = None
    detectable: float | None = None

    @property
    def beyond_margin(self) -> bool:
        """Whether the point loss exceeds the margin."""
        return self.loss is not None and self.margin is not None and self.loss > self.margin + _EQUAL

    @property
    def confirmed(self) -> bool:
        """Whether it exceeds the margin, and the bound lies above 0."""
        return self.beyond_margin and self.bound is not None and self.bound > 0

    @property
    def headroom(self) -> float | None:
        """How much of today's level may be lost before anything is told, where the gain exceeds the margin: the
        baseline is old. None: it does not."""
        if self.loss is None or self.margin is None or -self.loss <= self.margin + _EQUAL:
            return None
        return self.margin - self.loss

    @property
    def blind(self) -> bool:
        """Whether the smallest detectable loss exceeds the margin."""
        return self.detectable is not None and self.margin is not None and self.detectable > self.margin + _EQUAL


def loss_of(pairs: Pairs, margin: float, seed: int) -> Loss:
    """The loss of some pairs. `margin` is relative to the mean quality before, the distance from the worst value: a
    rate of errors of 0.2 stands for 0.8 done right."""
    if not pairs.n:
        return Loss(0)
    found = pooled_difference([pairs.losses], seed, level=_TWO_SIDED)
    assert found.mean is not None
    assert found.p is not None
    quality = pairs.quality(pairs.before)
    return Loss(
        n=pairs.n,
        before=float(pairs.before.mean()),
        now=float(pairs.now.mean()),
        loss=found.mean,
        bound=found.low,
        p=found.p / 2 if found.mean > 0 else 1 - found.p / 2,
        margin=margin * float(quality.mean()),
        detectable=detectable(pairs.losses, quality),
    )


def detectable(losses: Floats, quality: Floats) -> float | None:
    """The smallest true loss of the mean that a one-sided 5 % test finds with 80 % power: z · standard error, with
    z = 1.645 + 0.842. None for fewer than two pairs, and where there is nothing to lose.

    The standard error is that of the observed differences, but at least that of the plainest loss, by which some
    questions lose all they had and the others nothing: with mean quality m, mean square s and n pairs, a loss
    L = z² · s ÷ (m · (n + z²)) is z times its own standard error √((L · s ÷ m − L²) ÷ n). Without this floor two
    equal runs would claim to see any loss.
    """
    n, mean = len(losses), float(quality.mean()) if len(quality) else 0.0
    if n < 2 or mean == 0:
        return None
    observed = _Z * math.sqrt(float(losses.var(ddof=1)) / n)
    plainest = _Z**2 * float(np.square(quality).mean()) / (mean * (n + _Z**2))
    return round(max(observed, plainest), 6)
