"""`ragbench sweep`: a grid of variants."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import add_json, add_overrides, note, note_fallback, say, say_json
from ragbench.cli.shape import add_shape, shape_of

if TYPE_CHECKING:
    from ragbench.run.sweep import SweepResult


_NOTES = 12


def arguments(parser: argparse.ArgumentParser) -> None:
    """Overrides, with lists for the axes, and how they are combined and run."""
    add_overrides(parser)
    add_shape(parser)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes that variants are run in (1)")
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="MEASURE",
        help="measure that the findings are read on; repeatable",
    )
    parser.add_argument(
        "--check",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="put three questions through every variant first (default: where the sweep takes long)",
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Run it; print the comparison, the findings, the stages reused and computed, then the path."""
    from ragbench.core.store import Store
    from ragbench.run.found import check_measures
    from ragbench.run.parallel import check_jobs
    from ragbench.run.progress import Progress
    from ragbench.run.runner import RunResult
    from ragbench.run.session import Session
    from ragbench.run.sweep import Manner, Point, plan_grid, sweep

    manner = Manner(shape_of(args), args.jobs, tuple(args.by), args.check)
    points, folded = plan_grid(args.overrides, manner.shape)
    check_jobs(args.jobs, points)
    check_measures(args.by, points)
    note_fallback([point.experiment for point in points])
    say_or_note = note if args.json else say
    for line in _first(folded):
        say_or_note(f"note: {line}")
    say_or_note(f"{len(points)} variant{'s' if len(points) != 1 else ''}")

    def told(point: Point, outcome: RunResult | str) -> None:
        if isinstance(outcome, str):
            note(f"FAILED {point.label}: {outcome}")
        else:
            say_or_note(f"done {point.label}: {_totals([outcome.stages])}")

    with Session(Store(points[0].experiment.places.store), Progress(quiet=args.json)) as session:
        result = sweep(args.overrides, session, told, manner, (points, folded))
        session.progress.close()
    for line in dict.fromkeys([*session.notes(), *result.warnings]):
        note(f"note: {line}")
    _print(args, result)
    return _end(args, result)


def _first(lines: Sequence[str]) -> list[str]:
    """The first notes on folded points, and how many more there are."""
    more = len(lines) - _NOTES
    return [*lines[:_NOTES], *([f"{more} more of these stand under folded in sweep.json"] if more > 0 else [])]


def _end(args: argparse.Namespace, result: SweepResult) -> int:
    """What failed, the totals and the paths; the exit code."""
    from ragbench.evaluate import health

    say_or_note = note if args.json else say
    for label, error in result.failed.items():
        note(f"FAILED {label}: {error}")
    say_or_note(_totals([done.stages for _, done in result.runs]))
    say_or_note(f"sweep: {result.folder}")
    if (result.folder / "report.html").is_file():
        say_or_note(f"report: {result.folder / 'report.html'}")
    unhealthy = [line for _, done in result.runs for line in health.folded(done.health)]
    for line in unhealthy:
        note(f"cannot tell: {line}")
    return 1 if result.failed else 3 if unhealthy else 0


def _print(args: argparse.Namespace, result: SweepResult) -> None:
    from ragbench.core.codec import read_json
    from ragbench.sink.console import print_sweep
    from ragbench.sink.findings_lines import findings_lines

    if args.json:
        say_json(read_json(result.folder / "sweep.json"))
    elif result.runs:
        print_sweep([done.summary for _, done in result.runs])
        names = {done.folder.name: point.label for point, done in result.runs}
        for line in findings_lines(result.findings, names):
            say(line)
    for name in args.by:
        if name not in {part["measure"] for part in result.findings}:
            note(f"note: nothing is said on {name}: fewer than two variants have values of it on the same questions")


def _totals(all_stages: Sequence[Mapping[str, Mapping[str, Any]]]) -> str:
    reused: Counter[str] = Counter()
    computed: Counter[str] = Counter()
    embedded: Counter[str] = Counter()
    for stages in all_stages:
        reused.update(stages["reused"])
        computed.update(stages["computed"])
        embedded.update({purpose: n for purpose, n in stages["embedded"].items() if purpose != "texts"})
    calls = sum(role["sent"] for stages in all_stages for role in stages.get("models", {}).values())
    shown = [
        f"stages reused {sum(reused.values())} ({_list(reused)})",
        f"computed {sum(computed.values())} ({_list(computed)})",
        f"texts embedded {embedded.total()}{f' ({_list(embedded)})' if embedded else ''}",
        *([f"model calls {calls}"] if calls else []),
    ]
    return ", ".join(shown)


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{kind} {n}" for kind, n in sorted(counts.items())) or "none"
