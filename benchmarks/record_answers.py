"""Record what is answered to questions of the shipped sets over pinned contexts: part of `make record`.

The contexts are packed once, with the default retrieval under a small budget, and stored beside the cassettes; from
then on they are read, so that a recording depends on no index and no machine. Each reply is kept in the store at once
and in the cassettes soon after; a recording that was broken off goes on where it was.

    python benchmarks/record_answers.py [--minutes M] [--show] [key=value …]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from record import SETS, spread, tell

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.eval_set.pinned import read_pinned, write_pinned
from ragbench.llm.ledger import now_counts
from ragbench.pipeline.offline import build
from ragbench.query.base import asked
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext
from ragbench.run.build import experiment
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session

ANSWERABLE, UNANSWERABLE = 10, 2
"""Questions of a set, spread over it evenly."""

BUDGET = 700
"""Tokens of a context: a small model on a processor reads some fifteen a second."""

STAGE = ("generator=chat", f"pipeline.packer.budget={BUDGET}")
CONTEXTS = "contexts"


def chosen(questions: Sequence[Question]) -> list[Question]:
    """The questions that are recorded, in the order of their set."""
    parts = ((ANSWERABLE, True), (UNANSWERABLE, False))
    picked = [one for n, kind in parts for one in spread([q for q in questions if q.answerable is kind], n)]
    return sorted(picked, key=questions.index)


def pinned(session: Session, made: Experiment, path: Path) -> dict[str, PackedContext]:
    """The contexts by question id: those of the file, packed and written where there is none."""
    held = read_pinned(path)
    if held:
        return held
    built = build(made.pipeline, session.corpus(made), session.store, session.embedder(made.pipeline.embedder))
    questions = chosen(session.eval_set(made).of_split(made.split))
    contexts = {}
    with session.bench(made, built) as bench:
        for question in questions:
            times: dict[str, float] = {}
            view, requests = bench.plan(asked(question), times)
            cuts = made.pipeline.flow.cuts
            fused = bench.fuse(bench.retrieve(requests, cuts.pool_depth, times), times)
            ranking = bench.rerank(view.text or question.question, fused, cuts.recall_k, times)
            contexts[question.id] = bench.pack(bench.head(ranking, cuts.k), times)
    write_pinned(path, contexts, {chunk.number: chunk.chunk_id for chunk in built.chunks})
    return contexts


def record(session: Session, overrides: Sequence[str], deadline: float, show: bool) -> bool:
    """Make the calls that are missing; False where the time was over before all were made."""
    every = {name: experiment([f"eval_set={name}", *STAGE, *overrides]) for name in SETS}
    held = {
        name: pinned(session, made, Path(made.calls.cassettes) / CONTEXTS / f"{name}.jsonl")
        for name, made in every.items()
    }
    for name, made in every.items():
        contexts = held[name]
        by_id = {question.id: question for question in session.eval_set(made).of_split(made.split)}
        models = session.models(made)
        failed = 0
        with made.pipeline.generator.open(Tools(session.store, None, models)) as generator:
            for number, (key, context) in enumerate(contexts.items(), 1):
                if time.monotonic() > deadline:
                    models.flush()
                    return False
                question = by_id[key]
                answer: Answer | None = None
                try:
                    answer = generator.answer(asked(question), context)
                except UserError as error:
                    failed += 1
                    print(f"\n{key}: {error}", file=sys.stderr)
                tell(f"{name} {number}/{len(contexts)}, {failed} without an answer")
                if show and answer is not None:
                    print(f"\n{key} {question.question}\n  {question.reference}\n  → {answer.reason} {answer.text}")
        models.flush()
        print(file=sys.stderr)
    return True


def main() -> int:
    """Parse, record, say what was asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many minutes")
    parser.add_argument("--show", action="store_true", help="print each question with its reference and answer")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="such as llm=gguf")
    options = parser.parse_args()
    model = [] if any(one.startswith("llm=") for one in options.overrides) else ["llm=gguf"]
    overrides = [*model, *options.overrides, "calls.mode=record"]
    made = experiment([*STAGE, *overrides])
    deadline = time.monotonic() + 60 * options.minutes
    with Session(Store(made.places.store)) as session:
        try:
            whole = record(session, overrides, deadline, options.show)
        except UserError as error:
            print(f"\n{error}", file=sys.stderr)
            return 2
        finally:
            print(now_counts(session.models(made).ledger.state()))
    print("recorded" if whole else "time is over; run it again to go on", made.calls.cassettes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
