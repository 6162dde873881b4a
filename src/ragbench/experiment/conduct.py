"""Running a study: every point through the sweep machinery, then the analysis, the report and the parent run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.core.codec import write_json
from ragbench.eval_set.source import QUESTIONS
from ragbench.experiment.analyse import analyse
from ragbench.experiment.legs import Evidence
from ragbench.experiment.plan import Cell, Planned
from ragbench.experiment.query_timing import time_queries
from ragbench.experiment.readings import Reading, read_run, unrecorded_of
from ragbench.experiment.sets import MissingSet
from ragbench.experiment.study import Study
from ragbench.experiment.timing import Timing, time_cutting
from ragbench.judge.card import read_card
from ragbench.report.experiment import write_experiment_report
from ragbench.report.experiment_markdown import write_experiment_markdown
from ragbench.run.deliver import Delivery
from ragbench.run.runner import RunResult
from ragbench.run.session import Session
from ragbench.run.sweep import Point, SweepResult, finish, run_points
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from ragbench.run_dir.write import new_folder

Told = Callable[[str], None]


@dataclass(frozen=True)
class Conducted:
    """A finished study: its folder, the content of experiment.json, labels that failed with their errors, and what
    could not be delivered."""

    folder: Path
    found: Mapping[str, Any]
    failed: Mapping[str, str]
    warnings: Sequence[str]


class StudyDelivery(Delivery):
    """The sinks of a study: its own report stands where a sweep has its comparison, whatever the sinks of its runs."""

    def write_reports(self, folder: Path) -> None:
        """Write the page and the summary; what cannot be drawn is a warning and loses no figures."""
        write_experiment_markdown(folder, folder / layout.EXPERIMENT_MARKDOWN, self.experiment.lang)
        self._try("report", lambda: self._write_page(folder))

    def _write_page(self, folder: Path) -> None:
        write_experiment_report(folder, folder / layout.REPORT, self.experiment.lang)

    def _write_sweep(self, folder: Path, runs: Sequence[Path]) -> None:
        """Nothing: `write_reports` has."""


def conduct(study: Study, planned: Planned, missing: Sequence[MissingSet], session: Session, told: Told) -> Conducted:
    """Run every point, decide, and write `experiment-<name>-<counter>` with experiment.json, its summary and report.

    A point that fails is listed and the rest go on. `told` gets a line for each point with the time that is left.
    """
    points = list(planned.points.values())
    first = points[0].experiment
    result = SweepResult(new_folder(first.places.runs, f"experiment-{study.name}"), folded=list(planned.notes))
    delivery = StudyDelivery(first, session)
    tags = {"experiment": study.name, "claim": study.claim["en"], "axes": study.key or "variants"}
    delivery.open_sweep(result.folder.name, tags)
    asked = {"experiment": study.name, "overrides": list(points[0].overrides), "axes": [study.key or "variants"]}
    run_points(points, result, delivery, asked, Countdown(planned, told))
    readings = _readings(study, planned, result)
    unrecorded = unrecorded_of(readings)
    for cell, lacks in unrecorded.items():
        told(f"not recorded, left out: {cell} ({lacks})")
    readings = {cell: one for cell, one in readings.items() if cell not in unrecorded}
    evidence = Evidence(
        study=study,
        sets=list(dict.fromkeys(cell.eval_set for cell in planned.points)),
        readings={cell: one for cell, one in readings.items() if not cell.split},
        timings=_timings(study, planned, readings, session, told),
        seed=first.seed,
        tuning={cell._replace(split=""): one for cell, one in readings.items() if cell.split},
        query_ms=_query_ms(study, planned, readings, session, told),
        unavailable=planned.unavailable,
        unrecorded=unrecorded,
        cards=_cards(study, planned),
    )
    found = analyse(evidence, missing)
    failed = [{"label": label, "error": error} for label, error in result.failed.items()]
    found |= {"experiment_id": result.folder.name, "failed": failed, "notes": list(planned.notes)}
    write_json(result.folder / layout.EXPERIMENT, found)
    delivery.write_reports(result.folder)
    finish(result, delivery, asked)
    return Conducted(result.folder, found, result.failed, result.warnings)


def _readings(study: Study, planned: Planned, result: SweepResult) -> dict[Cell, Reading]:
    """What each finished cell measured; a cell that equals another has the other's reading."""
    found = {planned.cell_of(point): read_run(RunDir(done.folder), study.metrics) for point, done in result.runs}
    return found | {cell: found[other] for cell, other in planned.same.items() if other in found}


def _cards(study: Study, planned: Planned) -> dict[Cell, Mapping[str, Any] | None]:
    """The cards of the judges, where the study asks how far they agree with people."""
    if not study.asks_people:
        return {}
    asked = {cell: point.experiment for cell, point in planned.points.items()}
    return {cell: read_card(one.judge, one.places.store) for cell, one in asked.items()}


def _timings(
    study: Study, planned: Planned, readings: Mapping[Cell, Reading], session: Session, told: Told
) -> dict[Cell, Timing]:
    """Times of cutting, one for each way of cutting a set, where the study asks for them."""
    if not study.timed:
        return {}
    found: dict[Cell, Timing] = {}
    for cell, point in planned.points.items():
        if cell in readings:
            found[cell] = time_cutting(point.experiment, session)
            told(f"timed {cell}: {found[cell].ms_per_unit:.1f} ms for 10 000 characters")
    return found | {cell: found[other] for cell, other in planned.same.items() if other in found}


def _query_ms(
    study: Study, planned: Planned, readings: Mapping[Cell, Reading], session: Session, told: Told
) -> dict[Cell, Mapping[str, float]]:
    """Times of questions, the variants of a set in turn, where the study asks for them."""
    found: dict[Cell, Mapping[str, float]] = {}
    for name in dict.fromkeys(cell.eval_set for cell in planned.points) if study.timed_queries else ():
        cells = [Cell(name, arm, variant) for arm, variant in study.timed_queries]
        runs = {cell: planned.same.get(cell, cell) for cell in cells}
        there = {run: planned.points[run].experiment for run in runs.values() if run in readings}
        if there:
            times = time_queries(there, session)
            found |= {cell: times[run] for cell, run in runs.items() if run in times}
            told(f"timed questions of {name}")
    return found


class Countdown:
    """Tells of each point as it ends, with the time that the rest will take.

    Time is taken to grow with the size of a set, counted as its questions and a share of its corpus; points whose
    stages are in the store take less than that.
    """

    def __init__(self, planned: Planned, told: Told) -> None:
        self._told = told
        self._sizes = {id(point): _size(point) for point in planned.points.values()}
        self._left = dict(self._sizes)
        self._started = self._last = time.monotonic()

    def __call__(self, point: Point, outcome: RunResult | str) -> None:
        """Tell of one point that ended."""
        now = time.monotonic()
        self._left.pop(id(point), None)
        done = len(self._sizes) - len(self._left)
        size_done = sum(size for key, size in self._sizes.items() if key not in self._left)
        left = (now - self._started) / size_done * sum(self._left.values())
        took, self._last = now - self._last, now
        said = f"FAILED {point.label}: {outcome}" if isinstance(outcome, str) else point.label
        rest = f", about {_span(left)} left" if self._left else ""
        self._told(f"{done}/{len(self._sizes)} {said} ({_span(took)}{rest})")


def _size(point: Point) -> float:
    folder = point.experiment.source.folder()
    n_bytes = sum(path.stat().st_size for path in (folder / "corpus").rglob("*") if path.is_file())
    with (folder / QUESTIONS).open("rb") as handle:
        return sum(1 for _ in handle) + n_bytes / 4000


def _span(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
