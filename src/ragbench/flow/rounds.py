"""A round of retrieval, the end of a question, and what both cost: the parts that flows are made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ragbench.errors import ConfigError
from ragbench.flow.base import Bench, Cuts, Times
from ragbench.query.base import asked
from ragbench.query.spent import Spent
from ragbench.records.question import Question
from ragbench.records.search import Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, Asked, PackedContext, QueryView, Trace, TraceStep

T = TypeVar("T")
Planned = tuple[QueryView, tuple[SearchRequest, ...]]
_COUNTED = ("calls", "prompt_tokens", "completion_tokens", "untold", "fallbacks")


def check_cuts(cuts: Cuts) -> None:
    """Raises ConfigError unless k ≤ recall_k ≤ pool_depth, all whole numbers of at least 1."""
    for name in ("k", "recall_k", "pool_depth"):
        value = getattr(cuts, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ConfigError(name, expected="a whole number of at least 1", found=repr(value))
    if cuts.k > cuts.recall_k:
        raise ConfigError(
            "k",
            expected=f"at most recall_k ({cuts.recall_k}), the candidates that go on",
            found=str(cuts.k),
            hint=f"Set recall_k={cuts.k} or a smaller k.",
        )
    if cuts.recall_k > cuts.pool_depth:
        raise ConfigError(
            "recall_k",
            expected=f"at most pool_depth ({cuts.pool_depth})",
            found=str(cuts.recall_k),
            hint=f"Set pool_depth={cuts.recall_k} or a smaller recall_k.",
        )


def understood(question: Question, view: QueryView) -> Question:
    """The question as reranker and generator read it."""
    return question if view.text is None else replace(question, question=view.text)


def request_for(question: Question, requests: Sequence[SearchRequest], text: str, form: str) -> SearchRequest:
    """A search for another text under the same conditions as the question's own first one."""
    if requests:
        return replace(requests[0], text=text, form=form, weight=1.0, role="query", routes=())
    return replace(SearchRequest.of(question, text), form=form)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question at its turn: with what it is answered, under which cut-offs, and where its times are added up."""

    question: Question
    cuts: Cuts
    bench: Bench
    times: Times

    def search(self, requests: Sequence[SearchRequest]) -> tuple[RouteList, ...]:
        """One list a request and route."""
        return self.bench.retrieve(requests, self.cuts.pool_depth, self.times)

    def round(self, requests: tuple[SearchRequest, ...], text: str | None) -> Iterator[TraceStep]:
        """Search, and `rank` what is found."""
        yield from self.rank(requests, self.search(requests), text)

    def rank(
        self, requests: tuple[SearchRequest, ...], lists: tuple[RouteList, ...], text: str | None
    ) -> Iterator[TraceStep]:
        """The step of a round as far as it has come: fused, then reranked for `text` (None: never)."""
        fused = self.bench.fuse(lists, self.times)
        step = TraceStep(requests, lists, fused, () if text is not None else fused)
        yield step
        if text is not None:
            yield replace(step, reranked=self.bench.rerank(text, fused, self.cuts.recall_k, self.times))

    def pack(self, ranking: Ranking, asked: Question, view: QueryView) -> PackedContext:
        """The context of the first `k` of a ranking, for a question as the generator reads it."""
        head = self.bench.head(ranking, self.cuts.k)
        history = tuple(turn.content for turn in asked.history)
        return self.bench.pack(head, self.times, Asked(asked.question, history, view.complexity))

    def answered(self, step: TraceStep, text: str) -> tuple[TraceStep, PackedContext]:
        """The step with what the variant answers to `text` from it (nothing, where it has no generator), and the
        context of that. The sub-question is asked in the name of the same principal, stands alone, and needs no
        history."""
        asking = replace(asked(self.question), question=text, history=())
        context = self.pack(step.reranked, asking, QueryView())
        return replace(step, answer=self.bench.generate(asking, context, self.times)), context

    def conclude(self, trace: Trace, resolved: str = "") -> Iterator[Trace]:
        """The trace with its context, then with its answer: a question back where the view has one. `resolved` is what
        the question comes to once the answers of earlier steps are filled in, and is answered in its place."""
        view = trace.query
        asking = understood(self.question, view)
        asking = replace(asking, question=resolved) if resolved else asking
        context = self.pack(trace.reranked, asking, view)
        reached = replace(trace, context=context)
        yield reached
        if view.clarify:
            answer: Answer | None = Answer(view.clarify, clarifies=True)
        else:
            answer = self.bench.generate(asking, context, self.times)
        if answer is not None:
            yield replace(reached, answer=answer)


def timed(times: Times, work: Callable[[], tuple[T, Spent]]) -> tuple[T, Spent]:
    """What `work` gives, its time added to `query`: that of the replies as when they were first made, where that is
    longer."""
    started = time.perf_counter()
    value, spent = work()
    ms = (time.perf_counter() - started) * 1000
    times["query"] = times.get("query", 0.0) + max(ms, spent.ms)
    return value, spent


def with_spent(view: QueryView, spent: Spent) -> QueryView:
    """The view with what a flow's own stages cost added to it."""
    if not spent.usage:
        return view
    usage = {name: view.usage.get(name, 0) + spent.usage.get(name, 0) for name in {**view.usage, **spent.usage}}
    return replace(view, usage=usage, fallback="; ".join(filter(None, (view.fallback, spent.why))))


def used(view: QueryView, hops: int) -> Mapping[str, int]:
    """`Trace.usage`: what understanding the question counted, and the rounds of retrieval."""
    return {name: view.usage[name] for name in _COUNTED if view.usage.get(name)} | {"hops": hops}
