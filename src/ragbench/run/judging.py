"""Verdicts of a run: from the store, or from the judge, opened when one is missing."""

from __future__ import annotations

from contextlib import ExitStack

from ragbench.core.codec import dumps, loads
from ragbench.core.fingerprint import fingerprint, quick_key
from ragbench.core.memo import Memo
from ragbench.core.rows import from_row, to_row
from ragbench.core.workers import Tools
from ragbench.errors import RagbenchError
from ragbench.judge.base import OpenJudge
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Trace
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session


class _NoVerdict(Exception):
    """A judge that could not tell; raised past the memo, which must not keep it."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(verdict.error)


class Judging:
    """The judge of an experiment, opened when a verdict is not in the store."""

    def __init__(self, experiment: Experiment, session: Session, stack: ExitStack) -> None:
        self.experiment = experiment
        self.session = session
        self.memo = Memo(session.store.table("verdicts"))
        self._stack = stack
        self._open: OpenJudge | None = None
        space = experiment.pipeline.embedder.fingerprint() if experiment.judge.uses_embedder else ""
        self._recipe = fingerprint(experiment.judge.recipe(), space)

    def verdict(self, question: Question, trace: Trace) -> Verdict | None:
        """The verdict on a trace's answer; None where there is nothing to judge, as in a question back."""
        if trace.answer is None or trace.answer.clarifies or trace.context is None or not self.experiment.judged:
            return None
        answer, context = trace.answer, trace.context
        blocks = [(block.citation, block.text) for block in context.blocks]
        asked = (question.id, question.question, question.reference)
        key = quick_key("verdict", self._recipe, asked, blocks, answer)

        def compute() -> bytes:
            verdict = self._judge().judge(question, context, answer)
            if verdict.error:
                raise _NoVerdict(verdict)
            return dumps(to_row(verdict))

        try:
            return from_row(Verdict, loads(self.memo.call(key, lambda: compute).value))
        except _NoVerdict as failure:
            return failure.verdict
        except RagbenchError:
            raise
        except Exception as error:  # whatever a judge raises is the verdict's error, counted as FAILED
            return Verdict(
                question.id, self.experiment.judge.NAME, error=" ".join(f"{type(error).__name__}: {error}".split())
            )

    def _judge(self) -> OpenJudge:
        if self._open is None:
            needs = self.experiment.judge.uses_embedder
            recipe = self.experiment.pipeline.embedder
            embedder = self.session.open_embedder(recipe).counted_as("judging") if needs else None
            tools = Tools(self.session.store, embedder)
            self._open = self._stack.enter_context(self.experiment.judge.open(tools))
        return self._open
