"""Whether an answer was given at all."""

from __future__ import annotations

from ragbench.measure.case import Case
from ragbench.records.trace import Answer


def answer_of(case: Case) -> Answer:
    """The answer of a case that has one. Raises ValueError where the trace ends without."""
    answer = case.trace.answer if case.trace is not None else None
    if answer is None:
        raise ValueError("the trace holds no answer")
    return answer


def says_something(answer: Answer) -> bool:
    """Neither a refusal nor blank. A blank answer is read as a refusal everywhere."""
    return not answer.refused and bool(answer.text.strip())
