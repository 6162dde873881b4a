"""A variant's generator behind its cache, or behind that of the language model that it asks."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import cast

from ragbench.core.codec import dumps, loads
from ragbench.core.fingerprint import fingerprint, quick_key
from ragbench.core.memo import Compute, Memo
from ragbench.core.rows import from_row, to_row
from ragbench.flow.base import Times
from ragbench.generator.base import Generator, OpenAlone, OpenGenerator
from ragbench.llm.ledger import billed
from ragbench.pipeline.first_stage import add
from ragbench.query.base import asked
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext


class Answering:
    """Answers questions from their contexts; threads may share it where the generator asks a model.

    What such a generator says is not kept a second time: the model's replies are, and are counted, recorded, replayed
    and refused like any other. Answers of other generators are taken from `memo` where the question met the context
    before. `opened` opens the generator when something is missing, `correction_ms` reads the correction of the embedder
    it uses.
    """

    def __init__(
        self,
        generator: Generator,
        space: str,
        memo: Memo,
        opened: Callable[[], OpenGenerator],
        correction_ms: Callable[[], float],
    ) -> None:
        self.memo = memo
        self._stage, self._opened, self._correction_ms = generator, opened, correction_ms
        self._recipe = fingerprint(generator.recipe(), space)
        self._lock = Lock()

    def answer(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        """The answer; None where the variant generates none. Raises what the generator raises."""
        if not self._stage.answers:
            return None
        question = asked(question)
        if not self._stage.asks:
            return self._remembered(question, context, times)
        return self._by_model(lambda generator: generator.answer(question, context), times)

    def alone(self, question: Question, times: Times) -> Answer | None:
        """The answer without any context: what the model knows by itself, else that of the generator to nothing."""
        if not self._stage.answers_alone:
            return self.answer(question, PackedContext(), times)
        question = asked(question)
        return self._by_model(lambda generator: cast(OpenAlone, generator).alone(question), times)

    def _by_model(self, ask: Callable[[OpenGenerator], Answer | None], times: Times) -> Answer | None:
        with self._lock:
            generator = self._opened()
        started = time.perf_counter()
        with billed() as bill:
            answer = ask(generator)
        waited = sum(item.cost.get("ms", 0.0) for item in bill)  # for the reply, as when it was made, stored or not
        add(times, {"generate": waited or (time.perf_counter() - started) * 1000})
        if answer is not None and answer.grounding is not None:
            add(times, {"ground": answer.grounding.ms})
        return answer

    def _remembered(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        def ready() -> Compute:
            generator = self._opened()
            return lambda: dumps(to_row(generator.answer(question, context)))

        key = quick_key("answer", self._recipe, question.question, question.history, context.blocks)
        found = self.memo.call(key, ready, self._correction_ms)
        add(times, {"generate": found.ms})
        row = loads(found.value)
        return None if row is None else from_row(Answer, row)
