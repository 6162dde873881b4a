"""Answering when one should, refusing when one should, asking back when one should."""

from __future__ import annotations

from ragbench.measure.answer.given import answer_of, asks_back, says_something
from ragbench.measure.base import Finding, Outcome
from ragbench.measure.case import Case
from ragbench.records.score import Status


def refusal_accuracy(case: Case) -> Outcome:
    """1 when the question was answered exactly if it is answerable, else 0.

    A question back is right exactly where the question is underspecified, so that nobody wins by asking back; an
    underspecified question may be refused too.
    """
    answer = answer_of(case)
    if asks_back(answer):
        return Finding(Status.SCORED, float(case.question.underspecified), "asked back")
    return float(says_something(answer) == case.question.answerable)


def false_answer(case: Case) -> float:
    """1 when an unanswerable question was answered, else 0; a question back claims nothing: 0. Lower is better."""
    return float(says_something(answer_of(case)))


def false_refusal(case: Case) -> float:
    """1 when an answerable question was refused, else 0; a question back is `false_clarification` instead: 0. Lower is
    better."""
    answer = answer_of(case)
    return float(not says_something(answer) and not asks_back(answer))


def answered(case: Case) -> float:
    """1 when an answerable question was answered, rightly or not, else 0; a question back is no answer: 0."""
    return float(says_something(answer_of(case)))


def clarified(case: Case) -> float:
    """1 when an underspecified question was answered with a question back, else 0."""
    return float(asks_back(answer_of(case)))


def false_clarification(case: Case) -> float:
    """1 when a question that is not underspecified was answered with a question back, else 0. Lower is better."""
    return float(asks_back(answer_of(case)))
