"""What happens to a question while it is answered, told as it comes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragbench.flow.base import Bench, Times
    from ragbench.records.question import Question
    from ragbench.records.trace import Answer, ContextBlock, PackedContext, Trace

Tell = Callable[[str, Mapping[str, Any]], None]
"""Takes the name of an event and what it says."""

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_OPENING = re.compile(r"<t?h?i?n?k?\Z")


class Events:
    """Hears a bench and a model and tells what becomes of a question:

    - `retrieval`: the packed passages, before the first word;
    - `timing`: `stage` and its `ms` from the beginning, with the `stages` behind it: `retrieval`, then `first_words`;
    - `content`: the next words. Thoughts are left out, and so is the word by which a model refuses. An answer of which
      nothing was heard (kept, checked before it may be shown, or of no model) comes `whole`, at the end;
    - `citation`: a passage as soon as its mark is whole, each number once an answer; a number of no passage has `doc`
      null;
    - `again`: the reply broke off and is asked for anew, what came of it is void;
    - `done`: the answer as it was read, or the error.

    A flow that answers several times tells the first five again for each.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._started = time.perf_counter()
        self._heard = self._shown = ""
        self._blocks: dict[int, ContextBlock] | None = None
        self._cited: set[int] = set()

    def found(self, context: PackedContext, times: Mapping[str, float]) -> None:
        """The context that an answer is now asked for."""
        self._heard = self._shown = ""
        self._blocks = {block.citation: block for block in context.blocks}
        self._cited = set()
        blocks = [_placed(one) | {"tokens": one.tokens, "text": one.text} for one in context.blocks]
        self._tell("retrieval", {"blocks": blocks, "tokens": context.tokens, "budget": context.budget})
        self._time("retrieval", dict(times))

    def begin(self) -> None:
        """See `ragbench.llm.listening.Listener.begin`."""
        if self._shown:
            self._tell("again", {})
        self._heard = self._shown = ""
        self._cited = set()

    def hear(self, text: str) -> None:
        """Tell what may be shown of the reply by now and was not told."""
        self._heard += text
        shown = _visible(self._heard)
        new = shown[len(self._shown) :]
        if not new:
            return
        if not self._shown:
            self._time("first_words", {})
        self._shown = shown
        self._tell("content", {"text": new, "whole": False})
        self._cite(shown)

    def done(self, trace: Trace) -> None:
        """The end: what was not heard of the answer, then the answer itself."""
        from ragbench.core.rows import to_row

        answer = trace.answer
        if answer is not None and not self._shown and answer.text:
            self._tell("content", {"text": answer.text, "whole": True})
            self._cite_all(answer)
        told = {"answer": None if answer is None else to_row(answer), "error": trace.error}
        times = {stage: round(ms, 4) for stage, ms in trace.timings_ms.items()}
        self._tell("done", {**told, "ms": self._ms(), "timings_ms": times})

    def _cite(self, text: str) -> None:
        if self._blocks is None:
            return
        from ragbench.generator.chat_reply import cited_numbers

        for number in cited_numbers(text):
            self._cite_one(number)

    def _cite_all(self, answer: Answer) -> None:
        for one in answer.citations:
            if one.block is not None:
                self._cite_one(one.block)

    def _cite_one(self, number: int) -> None:
        if number in self._cited:
            return
        self._cited.add(number)
        block = (self._blocks or {}).get(number)
        nothing = {"number": number, "doc": None, "start": None, "end": None}
        self._tell("citation", nothing if block is None else _placed(block))

    def _time(self, stage: str, stages: Mapping[str, float]) -> None:
        if self._blocks is not None:
            self._tell("timing", {"stage": stage, "ms": self._ms(), "stages": stages})

    def _ms(self) -> float:
        return round((time.perf_counter() - self._started) * 1000, 4)


class Watched:
    """A bench that tells what was found before it asks for an answer; all else is the bench's own."""

    def __init__(self, bench: Bench, found: Callable[[PackedContext, Times], None]) -> None:
        self._bench, self._found = bench, found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench, name)

    def generate(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        """See `Bench.generate`."""
        self._found(context, times)
        return self._bench.generate(question, context, times)


def _placed(block: ContextBlock) -> dict[str, Any]:
    return {"number": block.citation, "doc": block.doc_id, "start": block.start, "end": block.end}


def _visible(heard: str) -> str:
    from ragbench.generator.chat_prompts import NO_ANSWER

    text = _OPENING.sub("", _THOUGHT.sub("", heard)).lstrip()
    begins = text[: len(NO_ANSWER)].upper()
    return "" if NO_ANSWER.startswith(begins) else text
