"""The findings of a sweep, from the values that its runs computed, or from their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.errors import ConfigError
from ragbench.findings.find import comparable, find, measures_for
from ragbench.findings.variant import Values, Variant, cost_of, run_values
from ragbench.measure.registry import measures
from ragbench.run.points import Point
from ragbench.run.runner import RunResult
from ragbench.run.shape import Shape
from ragbench.run_dir.read import RunDir


def findings(
    runs: Sequence[tuple[Point, RunResult]], axes: Sequence[str], shape: Shape, by: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """What the finished runs of a sweep say, on the measures `by` or those that fit them; empty for fewer than two."""
    if len(runs) < 2:
        return []
    summaries = [done.summary for _, done in runs]
    names = [name for name in by or measures_for(summaries) if comparable(summaries, name)]
    variants = [_variant(point, done, names) for point, done in runs]
    base = runs[0][0].at if shape.alone else None
    return find(variants, axes, names, runs[0][0].experiment.seed, base)


def check_measures(by: Sequence[str], points: Sequence[Point]) -> tuple[str, ...]:
    """The names of measures of questions that findings are to be read on.

    Raises ConfigError for one that is none, or that the variants do not have.
    """
    for name in by:
        one = measures([name])[0]
        if one.subject != "question":
            raise ConfigError(f"--by {name}", expected="a measure of questions", found=f"one of a {one.subject}")
        lacking = next((p for p in points if name not in (p.experiment.measures or (name,))), None)
        if lacking is not None:
            hint = f"Add it to measures=[…,{name}]."
            raise ConfigError(f"--by {name}", expected="a measure of every variant", found=lacking.label, hint=hint)
    return tuple(dict.fromkeys(by))


def _variant(point: Point, done: RunResult, names: Sequence[str]) -> Variant:
    ms, cost, unit = cost_of(done.summary)
    twins = tuple(twin.at for twin in point.twins)
    return Variant(done.folder.name, point.at, twins, _values(done, names), ms, cost, unit)


def _values(done: RunResult, names: Sequence[str]) -> Mapping[str, Values]:
    held = done.values or {}
    missing = [name for name in names if name not in held]
    return {**held, **(run_values(RunDir(done.folder), missing) if missing else {})}
