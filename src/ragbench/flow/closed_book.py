"""No retrieval: what the model knows by itself, a lower reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragbench.flow.base import Bench, Times
from ragbench.flow.each import each
from ragbench.flow.one_shot import OneShotFlow
from ragbench.flow.rounds import Planned, understood, used
from ragbench.generator import closed_book_prompts
from ragbench.records.question import Question
from ragbench.records.trace import PackedContext, Trace


@dataclass(frozen=True, kw_only=True)
class ClosedBookFlow(OneShotFlow):
    """Searches and packs nothing and lets the generator answer from what it knows. One that only quotes the context
    refuses. The cut-offs cut nothing; they are kept so that variants differ in the flow alone."""

    @property
    def keeps_scores(self) -> bool:
        """Nothing is packed."""
        return False

    def identity(self) -> dict[str, Any]:
        """The version of the words that a model is asked in."""
        return dict(closed_book_prompts.IDENTITY)

    def run(self, questions: Sequence[Question], bench: Bench) -> Iterator[Trace]:
        """One trace a question; see `ragbench.flow.each.each`."""

        def stages(question: Question, planned: Planned, times: Times) -> Iterator[Trace]:
            view, _ = planned
            trace = Trace(question.id, view, timings_ms=times, usage=used(view, 0), context=PackedContext())
            yield trace
            answer = bench.generate_alone(understood(question, view), times)
            if answer is not None:
                yield replace(trace, answer=answer)

        return each(questions, (bench.ahead, bench.at_once), bench.plan, stages)
