"""A grid of variants: checked before anything is computed, shared stages computed once, one comparison at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.core.codec import write_json
from ragbench.core.fingerprint import fingerprint
from ragbench.errors import Problems, RagbenchError
from ragbench.run.build import build
from ragbench.run.compose import Composer
from ragbench.run.deliver import Delivery
from ragbench.run.experiment import Experiment
from ragbench.run.grid import axes, expand
from ragbench.run.runner import RunResult, run
from ragbench.run.session import Session
from ragbench.run_dir import layout
from ragbench.run_dir.write import new_folder


@dataclass(frozen=True)
class Point:
    """One variant of a grid."""

    overrides: tuple[str, ...]
    label: str
    experiment: Experiment


@dataclass
class SweepResult:
    """A finished sweep.

    `failed` maps a variant's label to its error; `folded` lists grid points equal to an earlier
    one, and knobs that a point does not read.
    """

    folder: Path
    runs: list[tuple[Point, RunResult]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    folded: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def plan_grid(overrides: Sequence[str]) -> tuple[list[Point], list[str]]:
    """The distinct variants of a grid, and a line for each point folded into an earlier one or with a knob that it
    does not read. A grid of one point is as strict as a run.

    Raises Problems naming every grid point that cannot be composed, before anything is computed.
    """
    varied = set(axes(overrides))
    points: list[Point] = []
    problems: list[str] = []
    folded: list[str] = []
    seen: dict[str, str] = {}
    grid = expand(overrides)
    composer = Composer(many=len(grid) > 1)
    for combination in grid:
        label = " ".join(item for item in combination if item.partition("=")[0] in varied) or "variant"
        try:
            experiment = build(composer.compose(combination), lenient=len(grid) > 1, composer=composer)
            # Two sets of one name in two folders are two variants.
            key = f"{experiment.fingerprint()} {experiment.source.folder().resolve()}"
        except RagbenchError as error:
            if len(grid) == 1:
                raise
            lines = error.problems if isinstance(error, Problems) else [str(error)]
            problems += [f"{label}: {line}" for line in lines]
            continue
        unused = f" ({'; '.join(experiment.unused)})" if experiment.unused else ""
        if key in seen:
            folded.append(f"{label} is the same variant as {seen[key]}{unused}")
            continue
        if unused:
            folded.append(f"{label} leaves something without effect{unused}")
        seen[key] = label
        points.append(Point(combination, label, experiment))
    if problems:
        raise Problems("sweep", list(dict.fromkeys(problems)), "Nothing was computed.")
    return points, folded


def sweep(
    overrides: Sequence[str], session: Session, told: Callable[[Point, RunResult | str], None] = lambda *_: None
) -> SweepResult:
    """Run a grid. A variant that fails is kept as failed and the rest go on; `told` hears of each as it ends."""
    points, folded = plan_grid(overrides)
    first = points[0].experiment
    folder = new_folder(first.places.runs, "sweep-" + fingerprint(list(overrides))[:8])
    result = SweepResult(folder, folded=folded)
    delivery = Delivery(first, session)
    delivery.open_sweep(folder.name, {"overrides": " ".join(overrides), "axes": ", ".join(axes(overrides))})
    asked = {"overrides": list(overrides), "axes": axes(overrides)}
    run_points(points, result, delivery, asked, told)
    finish(result, delivery, asked)
    return result


def run_points(
    points: Sequence[Point],
    result: SweepResult,
    delivery: Delivery,
    asked: Mapping[str, Any],
    told: Callable[[Point, RunResult | str], None],
) -> None:
    """Run points one after the other into `result`, and keep its sweep.json up to date."""
    session = delivery.session
    _write(result, asked, "running")
    with session.sharing() if len(points) > 1 else nullcontext():
        _run_all(points, result, delivery, asked, told)


def _run_all(
    points: Sequence[Point],
    result: SweepResult,
    delivery: Delivery,
    asked: Mapping[str, Any],
    told: Callable[[Point, RunResult | str], None],
) -> None:
    session = delivery.session
    for number, point in enumerate(points):
        try:
            done = run(point.experiment, session)
            result.runs.append((point, done))
            delivery.experiment = point.experiment
            delivery.run(done.folder)
            told(point, done)
        except Exception as error:  # a variant that fails is listed; the others go on
            result.failed[point.label] = _line(error)
            told(point, result.failed[point.label])
        session.progress.step("variants", number + 1, len(points))
        _write(result, asked, "running")


def finish(result: SweepResult, delivery: Delivery, asked: Mapping[str, Any]) -> None:
    """Write the comparison report, end the parent run, and mark the sweep finished."""
    delivery.close_sweep(result.folder, [done.folder for _, done in result.runs])
    _write(result, asked, "finished")
    result.warnings = delivery.warnings


def _line(error: Exception) -> str:
    return str(error) if isinstance(error, RagbenchError) else " ".join(f"{type(error).__name__}: {error}".split())


def _write(result: SweepResult, asked: Mapping[str, Any], status: str) -> None:
    points = [
        {
            "label": point.label,
            "overrides": list(point.overrides),
            "run_id": done.folder.name,
            "status": "finished",
            "stages": done.stages,
        }
        for point, done in result.runs
    ]
    points += [{"label": label, "status": "failed", "error": error} for label, error in result.failed.items()]
    content: Mapping[str, Any] = {
        "sweep_id": result.folder.name,
        "status": status,
        **asked,
        "points": points,
        "folded": result.folded,
        "written": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    write_json(result.folder / layout.SWEEP, content)
