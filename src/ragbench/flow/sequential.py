"""A chain of sub-questions, each made of the answer before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragbench.errors import ConfigError
from ragbench.flow.base import Bench, Cuts, Flow, Times
from ragbench.flow.each import each
from ragbench.flow.merging import merged, with_cuts
from ragbench.flow.one_shot import one_round
from ragbench.flow.rounds import Planned, Turn, check_cuts, request_for, timed, understood, used, with_spent
from ragbench.query.decomposer import Decomposer, filled, said
from ragbench.query.splitting import Pieces
from ragbench.records.question import Question
from ragbench.records.trace import Answer, Trace, TraceStep
from ragbench.text.language import answers_in_chinese

TOO_DEEP = "chain_too_deep"
CHECKED_FROM = 3
"""Depth of a chain from which on each intermediate answer is checked before it is passed on."""

_ADVICE = {
    True: "这个问题需要依次查 {depth} 步，超过了上限 {most} 步：每多一步都更容易出错。请拆成几个问题分别提问。",
    False: "This question takes a chain of {depth} steps, more than the {most} allowed: each further step is likelier "
    "to go wrong. Please ask it as several questions.",
}


@dataclass(frozen=True, kw_only=True)
class SequentialFlow(Flow):
    """Takes a question apart into a dependency chain, searches its parts in order, and fills each answer into the parts
    that need it. The final ranking is that of all rounds merged in turns, without duplicates; its first `k` chunks
    are packed. What is answered is the last sub-question with the answers filled in where it asks what the question
    asks (`X的A的B`), else the question itself. A question that is no chain is one round.

    Intermediate answers are the variant's generator's. In chains of three and deeper each is checked before it is
    passed on, by the generator's own word: it must not be a refusal, and its confidence, where it gives one, must be at
    least `min_confidence`. An answer that is refused, blank or fails the check is not passed on: what needs it is
    searched in the words of the question, and the step says why.

    Args:
        decomposer: makes the chain.
        max_depth: deepest chain that is followed. A deeper one is refused with advice: the question is searched as a
            whole, so that retrieval can be measured, and the answer says to split it.
        min_confidence: in [0, 1].
        with_question: whether the whole question is searched too, as the first round.
    """

    k: int
    recall_k: int
    pool_depth: int
    decomposer: Decomposer
    max_depth: int
    min_confidence: float
    with_question: bool

    def __post_init__(self) -> None:
        check_cuts(self.cuts)
        depth, least = self.max_depth, self.min_confidence
        if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
            raise ConfigError("pipeline.flow.max_depth", expected="a whole number of at least 1", found=repr(depth))
        if not isinstance(least, int | float) or isinstance(least, bool) or not 0 <= least <= 1:
            raise ConfigError("pipeline.flow.min_confidence", expected="a number from 0 to 1", found=repr(least))

    @property
    def cuts(self) -> Cuts:
        """The three cut-offs, the same in each round."""
        return Cuts(self.pool_depth, self.recall_k, self.k)

    @property
    def answers(self) -> int:
        """Those of the deepest chain that is followed, in which each step needs the one before."""
        return self.max_depth

    @property
    def needs_answers(self) -> bool:
        """Each answer feeds the next search."""
        return True

    @property
    def llm_calls(self) -> int:
        """One that makes the chain."""
        return int(self.decomposer.llm is not None)

    def run(self, questions: Sequence[Question], bench: Bench) -> Iterator[Trace]:
        """One trace a question; see `ragbench.flow.each.each`."""

        def prepare(question: Question, times: Times) -> tuple[Planned, Pieces]:
            view, requests = bench.plan(question, times)
            worker, text = bench.opened(self.decomposer), understood(question, view).question
            pieces, spent = timed(times, lambda: worker.chain(text))
            return (with_spent(view, spent), requests), pieces

        def stages(question: Question, ready: tuple[Planned, Pieces], times: Times) -> Iterator[Trace]:
            turn, (planned, pieces) = Turn(question, self.cuts, bench, times), ready
            if pieces.depth > self.max_depth:
                return self._refused(turn, planned, pieces)
            return self._chain(turn, planned, pieces) if pieces.kind == "chain" else one_round(turn, planned)

        return each(questions, (bench.ahead, bench.at_once), prepare, stages)

    def _refused(self, turn: Turn, planned: Planned, pieces: Pieces) -> Iterator[Trace]:
        view, requests = planned
        trace = Trace(turn.question.id, view, timings_ms=turn.times, usage=used(view, 1))
        for step in turn.round(requests, understood(turn.question, view).question):
            trace = replace(trace, steps=(step,))
            yield trace
        context = turn.pack(trace.reranked, understood(turn.question, view), view)
        yield replace(trace, context=context, answer=self._advice(turn.question, pieces))

    def _chain(self, turn: Turn, planned: Planned, pieces: Pieces) -> Iterator[Trace]:
        trace = Trace(turn.question.id, planned[0], timings_ms=turn.times)
        yield trace
        for steps in self._rounds(turn, planned, pieces):
            trace = replace(trace, steps=steps)
            yield trace
        trace = with_cuts(replace(trace, steps=(*trace.steps, merged(trace.steps))), self.recall_k)
        yield trace
        yield from turn.conclude(trace, self._resolved(trace, pieces))

    def _resolved(self, trace: Trace, pieces: Pieces) -> str:
        """The last sub-question, where it was filled in and asks what the question asks; empty: it does not."""
        asked = trace.rounds[-1].requests[0].text
        return asked if pieces.resolves and not asked.startswith(pieces.parts[-1].text) else ""

    def _rounds(self, turn: Turn, planned: Planned, pieces: Pieces) -> Iterator[tuple[TraceStep, ...]]:
        """The steps of a chain as far as they have come."""
        view, requests = planned
        done: tuple[TraceStep, ...] = ()
        step = TraceStep()
        if self.with_question:
            for step in turn.round(requests, understood(turn.question, view).question):
                yield (step,)
            done = (step,)
        needed = {need for part in pieces.parts for need in part.needs}
        answers: list[str | None] = []
        for number, part in enumerate(pieces.parts):
            text = filled(part, answers)
            for step in turn.round((request_for(turn.question, requests, text, "hop"),), text):
                yield (*done, step)
            if number in needed:
                step, _ = turn.answered(step, text)
                step = replace(step, note=self._fault(step.answer, pieces.depth))
            answers.append(said(step.answer.text, text) if step.answer is not None and not step.note else None)
            done = (*done, step)
            yield done

    def _fault(self, answer: Answer | None, depth: int) -> str:
        """Why an intermediate answer is not passed on; empty: it is."""
        if answer is None:
            return "nothing was answered"
        if answer.refused or not answer.text.strip():
            return answer.reason or "blank answer"
        sure = answer.confidence
        if depth >= CHECKED_FROM and sure is not None and sure < self.min_confidence:
            return f"confidence {sure:.2f} under {self.min_confidence}"
        return ""

    def _advice(self, question: Question, pieces: Pieces) -> Answer:
        chinese = answers_in_chinese(question.question)
        return Answer(_ADVICE[chinese].format(depth=pieces.depth, most=self.max_depth), True, TOO_DEEP)
