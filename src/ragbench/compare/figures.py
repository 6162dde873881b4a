"""Figures of a comparison as tables and sentences show them."""

from __future__ import annotations

from ragbench.compare.contrast import NOT_COMPARABLE, UNTESTED, Contrast
from ragbench.compare.table import number, signed


def interval(one: Contrast) -> str:
    """`[low, high]` with signs; `–` where there is none."""
    low, high = one.found.low, one.found.high
    return "–" if low is None or high is None else f"[{signed(low)}, {signed(high)}]"


def p_value(p: float | None) -> str:
    """Three decimals, `<0.001` below; `–` for none."""
    return "–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def detects(one: Contrast) -> str:
    """The smallest detectable difference; `–` where nothing changed, which says nothing of it, or nothing is tested."""
    told = one.counts.changed > 0 and one.state not in (UNTESTED, NOT_COMPARABLE)
    return number(one.found.detectable) if told else "–"
