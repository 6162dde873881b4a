"""Variants with values made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragbench.findings.variant import Variant

M = "ranking/recall@5"


def variant(
    name: str,
    at: Mapping[str, str],
    values: Sequence[float],
    ms: float | None = 1.0,
    twins: Sequence[Mapping[str, str]] = (),
) -> Variant:
    """A variant with a value for each of the questions q0, q1, …"""
    column = {f"q{n}": value for n, value in enumerate(values)}
    return Variant(name, dict(at), tuple(twins), {M: column}, ms, 0.0, "")
