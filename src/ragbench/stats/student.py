"""Quantiles of Student's t, without a library, so that they are the same bits everywhere."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

_NORMAL = NormalDist()


@cache
def t_quantile(tail: float, df: float) -> float:
    """The value that Student's t with `df` degrees of freedom exceeds with probability `tail` (0 < tail < 0.5).

    `df` is at least 1 and need not be whole; the relative error is below 2e-4. Source: Hill
    (1970), Communications of the ACM, algorithm 396. Raises ValueError outside these ranges.
    """
    if not 0.0 < tail < 0.5 or not df >= 1.0:
        raise ValueError(f"a tail between 0 and 0.5 and at least 1 degree of freedom, not {tail} and {df}")
    both = 2 * tail
    if df == 1:
        return math.cos(both * math.pi / 2) / math.sin(both * math.pi / 2)
    if df == 2:
        return math.sqrt(2 / (both * (2 - both)) - 2)
    a = 1 / (df - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * df
    y = (d * both) ** (2 / df)
    if y <= a + 0.05:
        y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y - 1) * (df + 1) / (
            df + 2
        ) + 1 / y
        return math.sqrt(df * y)
    x = -_NORMAL.inv_cdf(tail)
    y = x * x
    if df < 5:
        c += 0.3 * (df - 4.5) * (x + 0.6)
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    return math.sqrt(df * math.expm1(a * y * y))


def normal_tail(value: float) -> float:
    """Probability that a standard normal exceeds `value`."""
    return _NORMAL.cdf(-value)
