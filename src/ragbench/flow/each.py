"""One trace a question: preparing questions ahead of their turn, and what an error costs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Generic, TypeVar

from ragbench.errors import CannotOpen, StartAgain, StoreError
from ragbench.flow.base import Times
from ragbench.records.question import Question
from ragbench.records.trace import Trace

P = TypeVar("P")
Prepare = Callable[[Question, Times], P]
Stages = Callable[[Question, P, Times], Iterator[Trace]]


@dataclass(frozen=True, slots=True)
class _Ready(Generic[P]):
    """What preparing a question gave, or raised, and the milliseconds of its stages."""

    question: Question
    times: Times
    value: P | None = None
    error: Exception | None = None

    def get(self) -> P:
        """What it gave; raises what it raised."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # one of the two is there


def each(questions: Sequence[Question], ahead: int, prepare: Prepare[P], stages: Stages[P]) -> Iterator[Trace]:
    """One trace a question, in order; an exception becomes the trace's error and the rest go on.

    `prepare` is what depends on nothing but the question (its plan, and what models say of it): with `ahead` above 1 it
    is done for so many questions at a time, in threads, while earlier ones are answered. `stages` gives the trace as
    far as it has come, again and again; it runs in the caller's thread, one question after the other. Neither order nor
    content depends on `ahead`.

    Raises CannotOpen where a stage cannot be opened at all, StoreError where the store cannot be used, StartAgain
    where the work must begin anew, when the question's turn comes.
    """
    for ready in _in_order(questions, ahead, prepare):
        trace: Trace | None = None
        try:
            for reached in stages(ready.question, ready.get(), ready.times):
                trace = reached
        except (CannotOpen, StartAgain, StoreError):
            raise  # not the question's failure: it would meet every other one too
        except Exception as error:  # whatever a stage raises is this question's failure, and told as such
            trace = trace or Trace(ready.question.id, timings_ms=ready.times)
            trace = replace(trace, error=" ".join(f"{type(error).__name__}: {error}".split()))
        yield trace or Trace(ready.question.id, timings_ms=ready.times)


def _in_order(questions: Sequence[Question], ahead: int, prepare: Prepare[P]) -> Iterator[_Ready[P]]:
    if ahead <= 1 or len(questions) <= 1:
        yield from (_prepared(question, prepare) for question in questions)
        return
    rest = iter(questions)
    with ThreadPoolExecutor(ahead, thread_name_prefix="plan") as pool:
        waiting: deque[Future[_Ready[P]]] = deque()
        try:
            waiting.extend(pool.submit(_prepared, one, prepare) for one in islice(rest, ahead))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(_prepared, one, prepare) for one in islice(rest, 1))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _prepared(question: Question, prepare: Prepare[P]) -> _Ready[P]:
    times: Times = {}
    try:
        return _Ready(question, times, prepare(question, times))
    except Exception as error:  # told when its turn comes
        return _Ready(question, times, error=error)
