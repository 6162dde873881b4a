"""What the question as typed would have found in the same variant: the twin that a transform is measured against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ragbench.errors import CannotOpen, StartAgain, StoreError
from ragbench.flow.base import Bench
from ragbench.flow.one_shot import OneShotFlow
from ragbench.pipeline.pipeline import Pipeline
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import Trace


def transforms(pipeline: Pipeline) -> bool:
    """Whether a variant may search anything but the question as typed, once."""
    return pipeline.query.transforms or not isinstance(pipeline.flow, OneShotFlow)


@dataclass(frozen=True, slots=True)
class Untransformed:
    """Gives each trace of a variant that transforms questions its `untransformed` ranking.

    A trace that searched the question as typed and nothing else holds it already. For any other the typed text is
    searched on the variant's routes and fused by its retriever; where the variant searched that text too, its lists are
    in the store. Times of this are nobody's latency. `alike` gives the cosine of two questions (None: the variant has
    no vectors); a trace of a rewritten question is told it.
    """

    bench: Bench
    pool_depth: int
    alike: Callable[[str, str], float] | None = None

    def of(self, question: Question, trace: Trace) -> Trace:
        """The trace with its twin's ranking; without one where it failed before it searched, or the twin cannot be
        searched.

        Raises CannotOpen, StoreError and StartAgain, as flows do.
        """
        if not trace.steps:
            return trace
        if self.alike is not None and trace.query.text not in (None, question.question):
            trace = replace(trace, likeness=self.alike(question.question, str(trace.query.text)))
        typed = SearchRequest.of(question)
        if len(trace.steps) == 1 and as_typed(trace.steps[0].requests, typed):
            return replace(trace, untransformed=tuple(hit.chunk for hit in trace.steps[0].fused))
        try:
            lists = self.bench.retrieve((typed,), self.pool_depth, {})
            ranking = self.bench.fuse(lists, {})
        except (CannotOpen, StartAgain, StoreError):
            raise  # not the question's failure: it would meet every other one too
        except Exception:  # the question itself was answered; it is left out of the comparison
            return trace
        return replace(trace, untransformed=tuple(hit.chunk for hit in ranking))


def as_typed(requests: tuple[SearchRequest, ...], typed: SearchRequest) -> bool:
    """Whether the only request is the question as typed, whatever its form is called."""
    return len(requests) == 1 and replace(requests[0], form=typed.form) == typed
