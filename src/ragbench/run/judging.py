"""Verdicts of a run: from the store, or from the judge, opened when one is missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Lock

from ragbench.core.codec import dumps, loads
from ragbench.core.fingerprint import quick_key
from ragbench.core.rows import from_row, to_row
from ragbench.core.workers import Tools
from ragbench.errors import RagbenchError
from ragbench.judge.base import OpenJudge
from ragbench.judge.llm import ROLE
from ragbench.llm.within import models_within
from ragbench.pipeline.model_costs import charging, memo_of, recipe_of
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
        judge = experiment.judge
        self._stack, self._lock = stack, Lock()
        self._open: OpenJudge | None = None
        self._models = session.models(experiment)
        self.memo = memo_of(session.store, "verdicts", judge, self._models)
        space = experiment.pipeline.embedder.fingerprint() if judge.uses_embedder else ""
        self._recipe = recipe_of(judge, space, self._models)
        self._charge = charging(judge, ROLE, self._models)

    def each(self, traces: Iterable[tuple[Question, Trace]]) -> Iterator[tuple[Trace, Verdict | None]]:
        """The traces with their verdicts, in order.

        A judge that asks language models judges as many answers at a time as calls may be under way; neither order nor
        verdicts depend on that.
        """
        if not models_within(self.experiment.judge) or self._models.concurrency <= 1:
            yield from ((trace, self.verdict(question, trace)) for question, trace in traces)
            return
        with ThreadPoolExecutor(self._models.concurrency, thread_name_prefix="judge") as pool:
            waiting: deque[tuple[Trace, Future[Verdict | None]]] = deque()
            try:
                for question, trace in traces:
                    waiting.append((trace, pool.submit(self.verdict, question, trace)))
                    if len(waiting) >= self._models.concurrency:
                        yield _done(*waiting.popleft())
                while waiting:
                    yield _done(*waiting.popleft())
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

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
            remembered = self.memo.call(key, lambda: compute)
        except _NoVerdict as failure:
            return failure.verdict
        except RagbenchError:
            raise
        except Exception as error:  # whatever a judge raises is the verdict's error, counted as FAILED
            told = " ".join(f"{type(error).__name__}: {error}".split())
            return Verdict(question.id, self.experiment.judge.title, error=told)
        found = from_row(Verdict, loads(remembered.value))
        if remembered.cached and found.usage:
            self._charge(found.usage)
        return found

    def _judge(self) -> OpenJudge:
        with self._lock:  # several answers may be judged at a time
            if self._open is None:
                needs = self.experiment.judge.uses_embedder
                recipe = self.experiment.pipeline.embedder
                embedder = self.session.open_embedder(recipe).counted_as("judging") if needs else None
                tools = Tools(self.session.store, embedder, self._models)
                self._open = self._stack.enter_context(self.experiment.judge.open(tools))
            return self._open


def _done(trace: Trace, verdict: Future[Verdict | None]) -> tuple[Trace, Verdict | None]:
    return trace, verdict.result()
