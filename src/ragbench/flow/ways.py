"""The sub-pipelines that an adaptive flow sends questions down: what is searched, how often, and how much is kept."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragbench.core.stage import Stage
from ragbench.errors import ConfigError
from ragbench.flow.adaptive_k import check_factor, scaled
from ragbench.flow.base import Bench, Times
from ragbench.flow.merging import merged
from ragbench.flow.rounds import Planned, Turn, request_for, timed, understood, with_spent
from ragbench.query.clarifier import Clarifier
from ragbench.query.decomposer import Decomposer
from ragbench.query.refiner import Refiner
from ragbench.query.splitting import Part
from ragbench.records.question import Question
from ragbench.records.trace import QueryView, Trace, TraceStep


@dataclass(frozen=True, slots=True)
class Ready:
    """A question that is ready to be searched: its plan and the parts it was taken apart into (none: as a whole)."""

    planned: Planned
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Way(Stage):
    """One sub-pipeline. `k` chunks are packed, or `factor` times the flow's k, at least its floor; one of the two is
    given. `rerank` false leaves the reranker out."""

    k: int | None
    factor: float | None
    rerank: bool

    def __post_init__(self) -> None:
        if (self.k is None) == (self.factor is None):
            found = f"k={self.k}, factor={self.factor}"
            raise ConfigError("way of pipeline.flow", expected="either k or factor", found=found)
        if self.factor is not None:
            check_factor("factor of a way of pipeline.flow", self.factor)
        elif not isinstance(self.k, int) or isinstance(self.k, bool) or self.k < 1:
            raise ConfigError(
                "k of a way of pipeline.flow", expected="a whole number of at least 1", found=repr(self.k)
            )

    def k_of(self, k: int, floor: int) -> int:
        """Chunks packed, where the flow's own k and floor are these."""
        return self.k if self.k is not None else scaled(k, self.factor or 1.0, floor)

    def prepare(self, question: Question, planned: Planned, bench: Bench, times: Times) -> Ready:
        """What depends on the question alone; it may be done ahead of its turn."""
        return Ready(planned)

    @property
    def llm_calls(self) -> int:
        """Calls of models a question takes."""
        return 0

    @abstractmethod
    def traces(self, trace: Trace, ready: Ready, turn: Turn) -> Iterator[Trace]:
        """`trace`, which has no step yet, up to its final ranking, as far as it has come. Of several steps the last is
        that of all merged."""

    def text(self, question: Question, view: QueryView) -> str | None:
        """What the reranker reads; None: nothing is reranked."""
        return understood(question, view).question if self.rerank else None

    def whole(self, trace: Trace, ready: Ready, turn: Turn) -> Iterator[Trace]:
        """One round with the requests of the plan."""
        for step in turn.round(ready.planned[1], self.text(turn.question, trace.query)):
            yield replace(trace, steps=(step,))


@dataclass(frozen=True, kw_only=True)
class OneRound(Way):
    """The plan's requests, once."""

    def traces(self, trace: Trace, ready: Ready, turn: Turn) -> Iterator[Trace]:
        """One step."""
        yield from self.whole(trace, ready, turn)


@dataclass(frozen=True, kw_only=True)
class Clarify(OneRound):
    """Asks back. What would have been found is still searched, so that it can be measured; nothing is generated."""

    clarifier: Clarifier

    @property
    def llm_calls(self) -> int:
        """One, where it has a model."""
        return int(self.clarifier.llm is not None)

    def prepare(self, question: Question, planned: Planned, bench: Bench, times: Times) -> Ready:
        """The question back, unless the query stage has one already."""
        view, requests = planned
        if view.clarify:
            return Ready(planned)
        worker, text = bench.opened(self.clarifier), understood(question, view).question
        back, spent = timed(times, lambda: worker.clarify(text, question.history))
        return Ready((replace(with_spent(view, spent), clarify=back), requests))


@dataclass(frozen=True, kw_only=True)
class EachPart(Way):
    """Each side of a comparison, or each independent part, searched and reranked by itself, then merged in turns; a
    question that cannot be taken apart as the plan says. Their searches are asked for together."""

    decomposer: Decomposer

    @property
    def llm_calls(self) -> int:
        """One, where it has a model."""
        return int(self.decomposer.llm is not None)

    def prepare(self, question: Question, planned: Planned, bench: Bench, times: Times) -> Ready:
        """The parts."""
        view, requests = planned
        worker, text = bench.opened(self.decomposer), understood(question, view).question
        pieces, spent = timed(times, lambda: worker.independent(text))
        parts = pieces.parts if len(pieces.parts) > 1 else ()
        return Ready((with_spent(view, spent), requests), parts)

    def traces(self, trace: Trace, ready: Ready, turn: Turn) -> Iterator[Trace]:
        """One step a part and the merged one; without parts one step."""
        if not ready.parts:
            yield from self.whole(trace, ready, turn)
            return
        requests = tuple(request_for(turn.question, ready.planned[1], part.text, "part") for part in ready.parts)
        lists = turn.search(requests)
        done: tuple[TraceStep, ...] = ()
        for number, request in enumerate(requests):
            own = tuple(replace(one, request=0) for one in lists if one.request == number)
            step = TraceStep()
            for step in turn.rank((request,), own, request.text if self.rerank else None):
                yield replace(trace, steps=(*done, step))
            done += (step,)
        yield replace(trace, steps=(*done, merged(done)))


@dataclass(frozen=True, kw_only=True)
class TwoRounds(Way):
    """Searches, makes a better search of what was found, searches again, and merges both in turns.

    What was found is the answer that the variant gives to the first round, where it gives one, else the first block of
    its context.
    """

    refiner: Refiner

    @property
    def llm_calls(self) -> int:
        """One, where it has a model."""
        return int(self.refiner.llm is not None)

    def traces(self, trace: Trace, ready: Ready, turn: Turn) -> Iterator[Trace]:
        """Two steps and the merged one."""
        first = second = TraceStep()
        for reached in self.whole(trace, ready, turn):
            first = reached.steps[0]
            yield reached
        view = trace.query
        text = understood(turn.question, view).question
        first, context = turn.answered(first, text)
        said = first.answer.text if first.answer is not None and not first.answer.refused else ""
        first = replace(first, note="" if said else "no answer: the context is taken")
        found = said or (context.blocks[0].text if context.blocks else "")
        worker = turn.bench.opened(self.refiner)
        query, spent = timed(turn.times, lambda: worker.refine(text, found))
        trace = replace(trace, query=with_spent(view, spent))
        again = request_for(turn.question, ready.planned[1], query, "refined")
        for second in turn.round((again,), self.text(turn.question, view)):
            yield replace(trace, steps=(first, second))
        yield replace(trace, steps=(first, second, merged([first, second])))
