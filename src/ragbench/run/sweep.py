"""A grid of variants: checked before anything is computed, shared stages computed once, one comparison at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.core.codec import write_json
from ragbench.core.fingerprint import fingerprint
from ragbench.run.deliver import Delivery
from ragbench.run.found import check_measures, findings
from ragbench.run.grid import axes
from ragbench.run.parallel import Workers, check_jobs
from ragbench.run.points import Point as Point
from ragbench.run.points import plan_grid as plan_grid
from ragbench.run.rehearsal import line_of, rehearse, worth_it
from ragbench.run.runner import RunResult, run
from ragbench.run.session import Session
from ragbench.run.shape import GRID, Shape
from ragbench.run_dir import layout
from ragbench.run_dir.write import new_folder


@dataclass
class SweepResult:
    """A finished sweep.

    `failed` maps a variant's label to its error; `folded` lists grid points equal to an earlier
    one, and knobs that a point does not read. `findings` are what the runs say together.
    """

    folder: Path
    runs: list[tuple[Point, RunResult]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    folded: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Manner:
    """How a sweep is made: its shape, the number of processes, what its findings are read on (empty: what fits the
    runs), and whether three questions go through each variant first (None: where it takes long enough)."""

    shape: Shape = GRID
    jobs: int = 1
    by: tuple[str, ...] = ()
    rehearse: bool | None = None


PLAIN = Manner()
Told = Callable[[Point, RunResult | str], None]


def sweep(
    overrides: Sequence[str],
    session: Session,
    told: Told = lambda *_: None,
    manner: Manner = PLAIN,
    planned: tuple[list[Point], list[str]] | None = None,
) -> SweepResult:
    """Run a grid. A variant that fails is kept as failed and the rest go on; `told` hears of each as it ends. `planned`
    saves composing it again."""
    points, folded = planned or plan_grid(overrides, manner.shape)
    check_jobs(manner.jobs, points)
    by = check_measures(manner.by, points)
    first, varied = points[0].experiment, axes(overrides)
    folder = new_folder(first.places.runs, "sweep-" + fingerprint(list(overrides))[:8])
    result = SweepResult(folder, folded=folded)
    delivery = Delivery(first, session)
    delivery.open_sweep(folder.name, {"overrides": " ".join(overrides), "axes": ", ".join(varied)})
    asked = {"overrides": list(overrides), "axes": varied, "one_at_a_time": manner.shape.alone}
    asked |= {"when": [when.told for when in manner.shape.when]} if manner.shape.when else {}
    run_points(points, result, delivery, asked, told, manner)
    result.findings = findings(result.runs, varied, manner.shape, by)
    finish(result, delivery, asked)
    return result


def run_points(
    points: Sequence[Point],
    result: SweepResult,
    delivery: Delivery,
    asked: Mapping[str, Any],
    told: Told,
    manner: Manner = Manner(rehearse=False),
) -> None:
    """Run points into `result`, in their order whatever the number of processes, and keep its sweep.json up to date."""
    session = delivery.session
    _write(result, asked, "running")
    ended = _Ended(len(points), result, delivery, asked, told)
    with ExitStack() as stack:
        workers = None
        if manner.jobs > 1 and len(points) > 1:
            workers = stack.enter_context(Workers(min(manner.jobs, len(points)), session.store.root))
        elif len(points) > 1:
            stack.enter_context(session.sharing())
        asked_first = worth_it(points) if manner.rehearse is None else manner.rehearse
        left = _rehearsed(points, session, workers, ended) if asked_first else points
        for point, outcome, notes in _outcomes(left, session, workers):
            ended.take(point, outcome, notes)
    places = {id(point): at for at, point in enumerate(points)}
    result.runs.sort(key=lambda pair: places[id(pair[0])])
    result.failed = {p.label: result.failed[p.label] for p in points if p.label in result.failed}


def _outcomes(
    points: Sequence[Point], session: Session, workers: Workers | None
) -> Iterator[tuple[Point, RunResult | str, Sequence[str]]]:
    """What comes of each point, as it ends."""
    if workers is not None:
        for point, done in workers.runs(points):
            yield point, done.outcome or "", done.notes
        return
    for point in points:
        try:
            yield point, run(point.experiment, session), ()
        except Exception as error:  # a variant that fails is listed; the others go on
            yield point, line_of(error), ()


def _rehearsed(points: Sequence[Point], session: Session, workers: Workers | None, ended: _Ended) -> list[Point]:
    """The points that three questions went through; the others have failed."""
    failed: set[int] = set()
    if workers is not None:
        found = ((point, done.outcome) for point, done in workers.rehearsed(points))
    else:
        found = ((point, rehearse(point.experiment, session)) for point in points)
    for number, (point, error) in enumerate(found):
        session.progress.step("checked on three questions", number + 1, len(points))
        if isinstance(error, str):
            failed.add(id(point))
            ended.take(point, error)
    return [point for point in points if id(point) not in failed]


class _Ended:
    """Takes variants in as they end: delivers runs, tells of them, and writes how far the sweep is."""

    def __init__(
        self, total: int, result: SweepResult, delivery: Delivery, asked: Mapping[str, Any], told: Told
    ) -> None:
        self._total, self._result, self._delivery, self._asked, self._told = total, result, delivery, asked, told

    def take(self, point: Point, outcome: RunResult | str, notes: Sequence[str] = ()) -> None:
        """Take in one variant; an error is a failed one."""
        result, delivery = self._result, self._delivery
        if isinstance(outcome, str):
            result.failed[point.label] = outcome
        else:
            result.runs.append((point, outcome))
            delivery.experiment = point.experiment
            delivery.run(outcome.folder)
        delivery.warnings += [line for line in notes if line not in delivery.warnings]
        self._told(point, outcome)
        delivery.session.progress.step("variants", len(result.runs) + len(result.failed), self._total)
        _write(result, self._asked, "running")


def finish(result: SweepResult, delivery: Delivery, asked: Mapping[str, Any]) -> None:
    """Write the comparison report, end the parent run, and mark the sweep finished."""
    _write(result, asked, "running")
    delivery.close_sweep(result.folder, [done.folder for _, done in result.runs])
    _write(result, asked, "finished")
    result.warnings = delivery.warnings


def _write(result: SweepResult, asked: Mapping[str, Any], status: str) -> None:
    points = [_row(point, done) for point, done in result.runs]
    points += [{"label": label, "status": "failed", "error": error} for label, error in result.failed.items()]
    content: Mapping[str, Any] = {
        "sweep_id": result.folder.name,
        "status": status,
        **asked,
        "points": points,
        "folded": result.folded,
        **({"findings": result.findings} if result.findings else {}),
        "written": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    write_json(result.folder / layout.SWEEP, content)


def _row(point: Point, done: RunResult) -> dict[str, Any]:
    twins = [{"label": twin.label, "at": dict(twin.at)} for twin in point.twins]
    return {
        "label": point.label,
        "overrides": list(point.overrides),
        "run_id": done.folder.name,
        "status": "finished",
        "at": dict(point.at),
        **({"same": twins} if twins else {}),
        "stages": done.stages,
    }
