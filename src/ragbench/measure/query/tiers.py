"""Which tier of query understanding settled a question, and whether it was right."""

from __future__ import annotations

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.measure.query.complexity import is_abstention
from ragbench.records.score import Status
from ragbench.records.trace import QueryView

TIERS = ("rules", "model", "llm")
"""In the order in which they are asked."""


def settled(case: Case, tier: str) -> Outcome:
    """1 when the tier decided the class, 0 when it passed the question on or abstained.

    N/a where a tier before it decided: the mean is the tier's share of what it is asked. Source: methods.md §6.
    """
    decided = _decided(case)
    if decided is None:
        return not_applicable("the variant has no query understanding")
    if decided in TIERS[: TIERS.index(tier)]:
        return not_applicable(f"settled by {decided}")
    return float(decided == tier)


def right(case: Case, tier: str) -> Outcome:
    """1 when the tier decided and the class is the row's, 0 when it is another; n/a where it did not decide."""
    if _decided(case) != tier:
        return not_applicable(f"not settled by {tier}")
    view = _view(case)
    assert view is not None
    if view.complexity == case.question.complexity:
        return 1.0
    return Finding(Status.SCORED, 0.0, f"{view.complexity}, gold {case.question.complexity}")


def _decided(case: Case) -> str | None:
    """The tier that decided, `abstained` where none did; None without query understanding."""
    view = _view(case)
    if view is None:
        return None
    return "abstained" if is_abstention(view) else view.tier


def _view(case: Case) -> QueryView | None:
    view = case.trace.query if case.trace is not None else None
    return view if view is not None and view.tier not in ("", "none") else None
