"""`ragbench calibrate`: probabilities from the scores of a reranker, fitted on the dev questions."""

from __future__ import annotations

import argparse

from ragbench.cli.output import add_json, add_overrides, note_fallback, say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """Overrides, as for run."""
    add_overrides(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Fit it, print what thresholds would do and the override to use it by."""
    from dataclasses import asdict

    from ragbench.core.store import Store
    from ragbench.run.build import experiment
    from ragbench.run.calibration import calibrate
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session

    asked = experiment(["split=dev", "generator=none", "judge=none", *args.overrides])
    note_fallback([asked])
    with Session(Store(asked.places.store), Progress(quiet=args.json)) as session:
        found = calibrate(asked, session)
        session.progress.close()
    if args.json:
        say_json(asdict(found))
        return 0
    say(f"{found.n_chunks} candidates of {found.n_questions} dev questions, {found.n_relevant} of them relevant")
    say(f"Brier score {found.brier:.4f} on questions left out of the fit; {found.base:.4f} without a model")
    say("threshold  relevant kept  others dropped  questions without evidence  without chunks")
    for one in found.effects:
        say(f"{one.threshold:>9.1f}  {one.kept:>13.3f}  {one.dropped:>14.3f}  {one.lost:>26}  {one.emptied:>14}")
    say(f"pipeline.reranker.calibration='{{a: {found.a:g}, b: {found.b:g}}}'")
    return 0
