"""Figures as text."""

from __future__ import annotations


def share(value: float | None) -> str:
    """A share of 0 … 1 in per cent; one decimal where rounding would say 0 % or 100 % of what is neither."""
    if value is None:
        return "–"
    rounded = f"{value:.0%}"
    return f"{value:.1%}" if rounded in ("0%", "100%") and value not in (0, 1) else rounded


def milliseconds(value: float | None) -> str:
    """Milliseconds with the digits that mean something."""
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def size(n_bytes: float | None) -> str:
    """Bytes in a unit people read."""
    if n_bytes is None:
        return "–"
    value = float(n_bytes)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TB"


def seconds(value: float | None) -> str:
    """A duration."""
    if value is None:
        return "–"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"
