"""`ragbench plan`: a dry run."""

from __future__ import annotations

import argparse

from ragbench.cli.output import add_json, add_overrides, note, note_fallback, say, say_json
from ragbench.cli.shape import add_shape, shape_of


def arguments(parser: argparse.ArgumentParser) -> None:
    """Overrides, with lists for a grid."""
    add_overrides(parser)
    add_shape(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print every artifact key, whether it is cached, and what the rest takes."""
    from dataclasses import asdict

    from ragbench.cli.plan_lines import plan_lines, total_line
    from ragbench.core.store import Store
    from ragbench.run.plan import plan_one
    from ragbench.run.plan_cost import finished_runs
    from ragbench.run.session import Session
    from ragbench.run.sweep import plan_grid

    points, folded = plan_grid(args.overrides, shape_of(args))
    note_fallback([point.experiment for point in points])
    say_or_note = note if args.json else say
    for line in folded:
        say_or_note(f"note: {line}")
    first = points[0].experiment.places
    stored = finished_runs(first.runs)
    with Session(Store(first.store)) as session:
        plans = [(point.label, plan_one(point.experiment, session, stored)) for point in points]
    if args.json:
        say_json([{"label": label, **asdict(plan)} for label, plan in plans])
        return 0
    for label, plan in plans:
        for line in plan_lines(label, plan):
            say(line)
    if len(plans) > 1:
        say(total_line([plan for _, plan in plans]))
    return 0
