"""Quantiles of small samples."""

from __future__ import annotations

from collections.abc import Sequence


def quantile(values: Sequence[float], q: float) -> float | None:
    """The q-quantile (0 ≤ q ≤ 1) by linear interpolation between order statistics; None for no values.

    Source: numpy `quantile`, method `linear` (Hyndman and Fan type 7). Raises ValueError for q outside [0, 1].
    """
    if not 0.0 <= q <= 1.0:
        raise ValueError(f"a quantile lies between 0 and 1, not at {q}")
    if len(values) == 0:
        return None
    ordered = sorted(values)
    position = q * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (position - low))


def p50(values: Sequence[float]) -> float | None:
    """The median; None for no values."""
    return quantile(values, 0.5)


def p95(values: Sequence[float]) -> float | None:
    """The 95th percentile; None for no values."""
    return quantile(values, 0.95)


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """`p50` and `p95`; empty for no values."""
    found = {"p50": p50(values), "p95": p95(values)}
    return {name: value for name, value in found.items() if value is not None}
