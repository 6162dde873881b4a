"""Record what query stages ask a language model about questions of the shipped sets: `make record`.

Only calls that depend on the question alone are made, so nothing is searched. Each reply is kept in the store at once
and in the cassettes soon after; a recording that was broken off goes on where it was.

    python benchmarks/record.py [--minutes M] [key=value …]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.llm.ledger import now_counts
from ragbench.llm.within import models_within
from ragbench.query.base import OpenQuery, asked
from ragbench.records.question import Question
from ragbench.run.build import experiment
from ragbench.run.session import Session

SETS = ("policy_zh", "product_en")
N = 48
"""Questions of a set, spread over it evenly."""

STAGES = (
    ("query=none", "classifier=llm"),
    ("query=rewrite", "rewriter=llm"),
    ("query=decompose_parallel",),
    ("query=multi_query",),
    ("query=rag_fusion",),
    ("query=step_back",),
    ("query=hyde",),
    ("query=expand",),
)
"""Stages that ask a model; all other knobs are at their defaults, so that a run asks the same."""


def spread(questions: Sequence[Question], n: int) -> list[Question]:
    """At most `n` questions at equal distances."""
    step = max(1.0, len(questions) / n)
    return [questions[int(at * step)] for at in range(min(n, len(questions)))]


def record(session: Session, overrides: Sequence[str], deadline: float) -> bool:
    """Make the calls that are missing; False where the time was over before all were made."""
    for chosen in STAGES:
        for name in SETS:
            made = experiment([f"eval_set={name}", *chosen, *overrides])
            questions = session.eval_set(made).of_split(made.split)
            follow_ups = [one for one in questions if one.history]
            wanted = spread(follow_ups if "query=rewrite" in chosen else questions, N)
            if not models_within(made.pipeline.query):
                raise SystemExit(f"{chosen}: asks no model; choose one with llm=…")
            models = session.models(made)
            with ExitStack() as stack:
                stage: OpenQuery = stack.enter_context(made.pipeline.query.open(Tools(session.store, None, models)))
                fell_back = 0
                for number, question in enumerate(wanted):
                    if time.monotonic() > deadline:
                        models.flush()
                        return False
                    view, _ = stage.plan(asked(question))
                    fell_back += bool(view.fallback)
                    tell(f"{' '.join(chosen)} {name} {number + 1}/{len(wanted)}, {fell_back} without a usable reply")
            models.flush()
            print(file=sys.stderr)
    return True


def tell(line: str) -> None:
    """One line that replaces the last."""
    print(f"\r{line}", end="", file=sys.stderr, flush=True)


def main() -> int:
    """Parse, record, say what was asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many minutes")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="such as llm=gguf")
    options = parser.parse_args()
    chosen = options.overrides if any(one.startswith("llm=") for one in options.overrides) else ["llm=gguf"]
    overrides = [*dict.fromkeys([*chosen, *options.overrides]), "calls.mode=record"]
    made = experiment(["query=rewrite", *overrides])
    deadline = time.monotonic() + 60 * options.minutes
    with Session(Store(made.places.store)) as session:
        try:
            whole = record(session, overrides, deadline)
        except UserError as error:
            print(f"\n{error}", file=sys.stderr)
            return 2
        finally:
            ledger = session.models(made).ledger
            print(now_counts(ledger.state()))
    print("recorded" if whole else "time is over; run it again to go on", made.calls.cassettes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
