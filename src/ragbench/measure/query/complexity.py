"""Accuracy of the predicted query class."""

from __future__ import annotations

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.records.score import Status
from ragbench.records.trace import QueryView

ABSTENTIONS = (None, "", "uncertain")


def is_abstention(view: QueryView) -> bool:
    """Whether query understanding ran and would not decide."""
    return view.complexity in ABSTENTIONS


def complexity_accuracy(case: Case) -> Outcome:
    """1 when the predicted class is the row's, else 0; an abstention counts 0, so that abstaining never raises the
    mean.

    N/a where the row has no class or no tier decides anything. Source: methods.md §11 layer 2.
    """
    view = _view(case)
    if view is None:
        return not_applicable("the variant has no query understanding")
    if is_abstention(view):
        return Finding(Status.SCORED, 0.0, f"abstained, gold {case.question.complexity}")
    if view.complexity == case.question.complexity:
        return 1.0
    return Finding(Status.SCORED, 0.0, f"{view.complexity}, gold {case.question.complexity}")


def abstained(case: Case) -> Outcome:
    """1 when every tier abstained, else 0; n/a where no tier decides anything."""
    view = _view(case)
    if view is None:
        return not_applicable("the variant has no query understanding")
    return 1.0 if is_abstention(view) else 0.0


def _view(case: Case) -> QueryView | None:
    view = case.trace.query if case.trace is not None else None
    return view if view is not None and view.tier not in ("", "none") else None
