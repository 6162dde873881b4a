"""Retrieve once, rerank, pack, answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragbench.errors import CannotOpen, ConfigError, StartAgain, StoreError
from ragbench.flow.base import Bench, Cuts, Flow, Times
from ragbench.records.question import Question
from ragbench.records.trace import Trace, TraceStep


@dataclass(frozen=True, kw_only=True)
class OneShotFlow(Flow):
    """One round of retrieval: route lists of `pool_depth`, the head of `recall_k` reranked, the first `k` packed."""

    k: int
    recall_k: int
    pool_depth: int

    def __post_init__(self) -> None:
        for name in ("k", "recall_k", "pool_depth"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigError(name, expected="a whole number of at least 1", found=repr(value))
        if self.k > self.recall_k:
            raise ConfigError(
                "k",
                expected=f"at most recall_k ({self.recall_k}), the candidates that go on",
                found=str(self.k),
                hint=f"Set recall_k={self.k} or a smaller k.",
            )
        if self.recall_k > self.pool_depth:
            raise ConfigError(
                "recall_k",
                expected=f"at most pool_depth ({self.pool_depth})",
                found=str(self.recall_k),
                hint=f"Set pool_depth={self.recall_k} or a smaller recall_k.",
            )

    @property
    def cuts(self) -> Cuts:
        """The three cut-offs."""
        return Cuts(self.pool_depth, self.recall_k, self.k)

    def run(self, questions: Sequence[Question], bench: Bench) -> Iterator[Trace]:
        """One trace a question; an exception becomes the trace's error and the rest go on.

        Raises CannotOpen where a stage cannot be opened at all, StoreError where the store cannot be used, StartAgain
        where the work must begin anew.
        """
        for question in questions:
            times: Times = {}
            trace = Trace(question.id, timings_ms=times)
            try:
                for reached in self._stages(question, trace, bench, times):
                    trace = reached
            except (CannotOpen, StartAgain, StoreError):
                raise  # not the question's failure: it would meet every other one too
            except Exception as error:  # whatever a stage raises is this question's failure, and told as such
                trace = replace(trace, error=" ".join(f"{type(error).__name__}: {error}".split()))
            yield trace

    def _stages(self, question: Question, trace: Trace, bench: Bench, times: Times) -> Iterator[Trace]:
        view, requests = bench.plan(question, times)
        trace = replace(trace, query=view)
        yield trace
        lists = bench.retrieve(requests, self.pool_depth, times)
        fused = bench.fuse(lists, times)
        step = TraceStep(requests=requests, route_lists=lists, fused=fused)
        trace = replace(trace, steps=(step,))
        yield trace
        text = requests[0].text if requests else question.question
        step = replace(step, reranked=bench.rerank(text, fused, self.recall_k, times))
        trace = replace(trace, steps=(step,))
        yield trace
        context = bench.pack(step.reranked[: self.k], times)
        trace = replace(trace, context=context)
        yield trace
        yield replace(trace, answer=bench.generate(question, context, times))
