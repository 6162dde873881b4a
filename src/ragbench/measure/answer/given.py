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
    """Neither a refusal, nor a question back, nor blank. A blank answer is read as a refusal everywhere."""
    return not answer.refused and not answer.clarifies and bool(answer.text.strip())


def asks_back(answer: Answer) -> bool:
    """A question back to the user, which is neither an answer nor a refusal."""
    return answer.clarifies and bool(answer.text.strip())


def silence(answer: Answer) -> str:
    """What stands in the place of an answer that says nothing."""
    return "asked back" if asks_back(answer) else "refused"
