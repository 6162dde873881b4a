"""Record answers to questions of the shipped sets over pinned contexts, and their verdicts: part of `make record`.

The contexts are packed once, with the default retrieval under a small budget, and stored beside the cassettes; from
then on they are read, so that a recording depends on no index and no machine. Each reply is kept in the store at once
and in the cassettes soon after; a recording that was broken off goes on where it was.

    python benchmarks/record_answers.py [--minutes M] [--show] [key=value …]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from record import SETS, spread, tell

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.eval_set.pinned import read_pinned, write_pinned
from ragbench.generator.base import OpenGenerator
from ragbench.judge.base import OpenJudge
from ragbench.llm.ledger import now_counts
from ragbench.pipeline.offline import build
from ragbench.query.base import asked
from ragbench.records.question import Question
from ragbench.records.trace import Answer, Asked, PackedContext
from ragbench.run.build import experiment
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session

ANSWERABLE, UNANSWERABLE = 10, 2
"""Questions of a set, spread over it evenly."""

BUDGET = 700
"""Tokens of a context: a small model on a processor reads some fifteen a second."""

STAGE = ("generator=chat", "judge=llm", f"pipeline.packer.budget={BUDGET}")
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
            for_whom = Asked(view.text or question.question, tuple(turn.content for turn in question.history))
            contexts[question.id] = bench.pack(bench.head(ranking, cuts.k), times, for_whom)
    write_pinned(path, contexts, {chunk.number: chunk.chunk_id for chunk in built.chunks})
    return contexts


class Recording:
    """The calls of one set over its pinned contexts."""

    def __init__(self, session: Session, name: str, overrides: Sequence[str], deadline: float, show: bool) -> None:
        self.made = experiment([f"eval_set={name}", *STAGE, *overrides])
        self._contexts = pinned(session, self.made, Path(self.made.calls.cassettes) / CONTEXTS / f"{name}.jsonl")
        self._questions = {one.id: one for one in session.eval_set(self.made).questions}
        self._models = session.models(self.made)
        self._tools = Tools(session.store, None, self._models)
        self._name, self._deadline, self._show = name, deadline, show
        self._answers: dict[str, Answer] = {}

    def answers(self) -> bool:
        """Ask for what is missing; False where the time was over before."""
        with self.made.pipeline.generator.open(self._tools) as generator:
            return self._each("answered", list(self._contexts), lambda key: self._answer(generator, key))

    def verdicts(self) -> bool:
        """Have the answers judged; False where the time was over before."""
        with self.made.judge.open(self._tools) as judge:
            return self._each("judged", list(self._answers), lambda key: self._judge(judge, key))

    def _answer(self, generator: OpenGenerator, key: str) -> str:
        question = self._questions[key]
        answer = generator.answer(asked(question), self._contexts[key])
        assert answer is not None
        self._answers[key] = answer
        return f"{question.question}\n  {question.reference}\n  → {answer.reason} {answer.text}"

    def _judge(self, judge: OpenJudge, key: str) -> str:
        verdict = judge.judge(self._questions[key], self._contexts[key], self._answers[key])
        return verdict.error or "\n  ".join(f"{one.state} [{one.block}] {one.claim}" for one in verdict.claims)

    def _each(self, done: str, keys: Sequence[str], call: Callable[[str], str]) -> bool:
        failed = 0
        try:
            for number, key in enumerate(keys, 1):
                if time.monotonic() > self._deadline:
                    return False
                try:
                    said = call(key)
                except UserError as error:
                    failed, said = failed + 1, str(error)
                tell(f"{self._name} {done} {number}/{len(keys)}, {failed} failed")
                if self._show:
                    print(f"\n{key} {said}", flush=True)
        finally:
            self._models.flush()
            print(file=sys.stderr)
        return True


def record(session: Session, overrides: Sequence[str], deadline: float, show: bool) -> bool:
    """Make the calls that are missing; False where the time was over before all were made."""
    sets = [Recording(session, name, overrides, deadline, show) for name in SETS]
    return all(one.answers() for one in sets) and all(one.verdicts() for one in sets)


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
