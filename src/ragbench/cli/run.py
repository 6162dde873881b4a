"""`ragbench run`: one variant."""

from __future__ import annotations

import argparse

from ragbench.cli.output import add_json, add_overrides, note, note_fallback, say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """Overrides and --json."""
    add_overrides(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Run it; print the tables by layer and category, then the path."""
    from ragbench.core.store import Store
    from ragbench.evaluate.health import folded
    from ragbench.run.build import experiment
    from ragbench.run.deliver import Delivery
    from ragbench.run.progress import Progress
    from ragbench.run.runner import run
    from ragbench.run.session import Session

    asked = experiment(args.overrides)
    note_fallback([asked])
    with Session(Store(asked.places.store), Progress(quiet=args.json)) as session:
        done = run(asked, session)
        delivery = Delivery(asked, session)
        delivery.run(done.folder)
        session.progress.close()
    for line in [*session.notes(), *delivery.warnings]:
        note(f"note: {line}")
    if args.json:
        say_json(done.summary)
    else:
        from ragbench.sink.console import print_run

        print_run(done.summary)
        say(f"run: {done.folder}")
        if asked.sinks.get("report"):
            say(f"report: {done.folder / 'report.html'}")
    for line in folded(done.health):
        note(f"cannot tell: {line}")
    return 3 if done.health else 0
