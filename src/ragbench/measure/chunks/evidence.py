"""What the chunk set keeps of the gold evidence."""

from __future__ import annotations

from ragbench.eval_set.coverage import Fate
from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.records.score import Status


def evidence_intact(case: Case) -> Outcome:
    """Evidence groups that lie whole inside one chunk ÷ all groups, in [0, 1]; n/a where evidence is whole documents.

    Evidence split over two chunks is not intact here, and is still fully recalled when both are retrieved.
    """
    return _share(case, (Fate.INTACT,))


def evidence_reachable(case: Case) -> Outcome:
    """Evidence groups that all chunks together cover to tau ÷ all groups, in [0, 1]; n/a where evidence is whole
    documents."""
    return _share(case, (Fate.INTACT, Fate.SPLIT))


def _share(case: Case, good: tuple[Fate, ...]) -> Outcome:
    if case.evidence.by_document:
        return not_applicable("the evidence is whole documents")
    others = [
        f"{name} {fate}" for name, fate in zip(case.evidence.group_names, case.fates) if fate not in (*good, Fate.WHOLE)
    ]
    kept = len(case.fates) - len(others)
    return Finding(Status.SCORED, kept / len(case.fates), "; ".join(others))
