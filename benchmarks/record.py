"""Record what query stages ask a language model about questions of the shipped sets: `make record`.

Only calls that depend on the question alone are made, so nothing is searched. Each reply is kept in the store at once
and in the cassettes soon after; a recording that was broken off goes on where it was.

    python benchmarks/record.py [--minutes M] [key=value …]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.eval_set.chosen import spread
from ragbench.flow.sequential import SequentialFlow
from ragbench.llm.ledger import now_counts
from ragbench.llm.within import models_within
from ragbench.pipeline.pipeline import Pipeline
from ragbench.query.base import asked
from ragbench.records.question import Question
from ragbench.run.build import experiment
from ragbench.run.session import Session

SETS = ("policy_zh", "product_en")
N = 48
"""Questions of a set, spread over it evenly, as `questions=48` takes them."""

STAGES = (
    ("query=none", "classifier=llm"),
    ("query=rewrite", "rewriter=llm"),
    ("query=decompose_parallel",),
    ("query=multi_query",),
    ("query=rag_fusion",),
    ("query=step_back",),
    ("query=hyde",),
    ("query=expand",),
    ("flow=sequential",),
)
"""Stages that ask a model; all other knobs are at their defaults, so that a run asks the same."""


def wanted_of(questions: Sequence[Question], chosen: Sequence[str]) -> Sequence[Question]:
    """What a stage is recorded for: the questions of `questions=48`; all follow-ups where it asks about no other."""
    follow_ups = [one for one in questions if one.history]
    return spread(follow_ups if "query=rewrite" in chosen else questions, N)


def record(session: Session, overrides: Sequence[str], deadline: float) -> bool:
    """Make the calls that are missing; False where the time was over before all were made."""
    for chosen in STAGES:
        for name in SETS:
            made = experiment([f"eval_set={name}", *chosen, *overrides])
            wanted = wanted_of(session.eval_set(made).of_split(made.split), chosen)
            if not models_within(made.pipeline.query, made.pipeline.flow):
                raise SystemExit(f"{chosen}: asks no model; choose one with llm=…")
            models = session.models(made)
            with ExitStack() as stack:
                planned = planner(made.pipeline, Tools(session.store, None, models), stack)
                fell_back = 0
                for number, question in enumerate(wanted):
                    if time.monotonic() > deadline:
                        models.flush()
                        return False
                    fell_back += planned(question)
                    tell(f"{' '.join(chosen)} {name} {number + 1}/{len(wanted)}, {fell_back} without a usable reply")
            models.flush()
            print(file=sys.stderr)
    return True


def planner(pipeline: Pipeline, tools: Tools, stack: ExitStack) -> Callable[[Question], bool]:
    """A function that asks the model what it is asked about a question before anything is searched, and says whether
    that ended in a fallback."""
    if isinstance(pipeline.flow, SequentialFlow):
        decomposer = stack.enter_context(pipeline.flow.decomposer.open(tools))
        return lambda question: bool(decomposer.chain(question.question)[1].fallbacks)
    stage = stack.enter_context(pipeline.query.open(tools))
    return lambda question: bool(stage.plan(asked(question))[0].fallback)


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
