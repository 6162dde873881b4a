"""One trace a question: what is done for several questions at a time, and what an error costs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
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


class _Question(Generic[P]):
    """A question on its way through the stages; one thread at a time moves it."""

    def __init__(self, ready: _Ready[P], stages: Stages[P]) -> None:
        self._ready, self._stages = ready, stages
        self._reached: Iterator[Trace] | None = None
        self._trace: Trace | None = None
        self._fault: Exception | None = None
        self.waits = False

    def retrieve(self) -> None:
        """Go on until nothing is left but the answer, which it `waits` for, or nothing at all."""
        for trace in self._moved():
            self.waits = trace.context is not None and trace.answer is None
            if self.waits:
                return

    def finished(self) -> Trace:
        """The whole trace. Raises what ends the flow."""
        for _ in self._moved():
            pass
        self.waits = False
        if self._fault is not None:
            raise self._fault
        return self._trace or Trace(self._ready.question.id, timings_ms=self._ready.times)

    def _moved(self) -> Iterator[Trace]:
        ready = self._ready
        if self._fault is not None:
            return
        try:
            if self._reached is None:
                self._reached = self._stages(ready.question, ready.get(), ready.times)
            for trace in self._reached:
                self._trace = trace
                yield trace
        except (CannotOpen, StartAgain, StoreError) as error:
            self._fault = error  # not the question's failure: it would meet every other one too
        except Exception as error:  # whatever a stage raises is this question's failure, and told as such
            trace = self._trace or Trace(ready.question.id, timings_ms=ready.times)
            self._trace = replace(trace, error=" ".join(f"{type(error).__name__}: {error}".split()))
            self._reached = iter(())


def each(
    questions: Sequence[Question], at_a_time: tuple[int, int], prepare: Prepare[P], stages: Stages[P]
) -> Iterator[Trace]:
    """One trace a question, in order; an exception becomes the trace's error and the rest go on.

    `prepare` is what depends on nothing but the question (its plan, and what models say of it): with the first number
    of `at_a_time` above 1 it is done for so many questions at a time, in threads, while earlier ones are answered.
    `stages` gives the trace as far as it has come, again and again; it runs in the caller's thread, one question after
    the other, until the trace has its context. With the second number above 1, so many questions wait for their answers
    at a time, in threads. Neither order nor content depends on the two.

    Raises CannotOpen where a stage cannot be opened at all, StoreError where the store cannot be used, StartAgain
    where the work must begin anew, when the question's turn comes.
    """
    ahead, at_once = at_a_time
    with closing(_in_order(questions, ahead, prepare)) as prepared:
        under_way = (_Question(ready, stages) for ready in prepared)
        if at_once <= 1 or len(questions) <= 1:
            yield from (one.finished() for one in under_way)
        else:
            yield from _waiting(under_way, at_once)


def _waiting(under_way: Iterable[_Question[P]], at_once: int) -> Iterator[Trace]:
    """The traces in order, while up to `at_once` questions wait for their answers."""
    with ThreadPoolExecutor(at_once, thread_name_prefix="answer") as pool:
        waiting: deque[Callable[[], Trace]] = deque()
        try:
            for one in under_way:
                one.retrieve()
                waiting.append(pool.submit(one.finished).result if one.waits else one.finished)
                if len(waiting) >= at_once:
                    yield waiting.popleft()()
            while waiting:
                yield waiting.popleft()()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _in_order(questions: Sequence[Question], ahead: int, prepare: Prepare[P]) -> Generator[_Ready[P], None, None]:
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
