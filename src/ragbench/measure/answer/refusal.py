"""Answering when one should, refusing when one should."""

from __future__ import annotations

from ragbench.measure.answer.given import answer_of, says_something
from ragbench.measure.case import Case


def refusal_accuracy(case: Case) -> float:
    """1 when the question was answered exactly if it is answerable, else 0."""
    return float(says_something(answer_of(case)) == case.question.answerable)


def false_answer(case: Case) -> float:
    """1 when an unanswerable question was answered, else 0. Lower is better."""
    return float(says_something(answer_of(case)))


def false_refusal(case: Case) -> float:
    """1 when an answerable question was refused, else 0. Lower is better."""
    return float(not says_something(answer_of(case)))


def answered(case: Case) -> float:
    """1 when an answerable question was answered, rightly or not, else 0."""
    return float(says_something(answer_of(case)))
