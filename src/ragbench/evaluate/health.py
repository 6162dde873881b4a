"""Whether a run says anything at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.errors import CannotTell
from ragbench.evaluate.table import FAILED, NOT_APPLICABLE, SCORED, ScoreTable

MAX_FAILED = 0.10
"""Share of FAILED among the cells a measure should have scored, above which a run is no result."""


def health_problems(table: ScoreTable) -> list[str]:
    """Why the run cannot be read as a result, one line each; empty when it can.

    Not applicable cells are in no denominator: 12 failures among 24 applicable questions are 50 %, however many
    questions
    the measure does not concern.
    """
    problems = [] if table.questions.subjects else ["no question was evaluated"]
    if not problems and not any((block.status != NOT_APPLICABLE).any() for block in table.blocks.values()):
        problems.append("no measure applies to this variant")
    for block in table.blocks.values():
        failed = (block.status == FAILED).sum(axis=0).tolist()
        scored = (block.status == SCORED).sum(axis=0).tolist()
        for at, measure in enumerate(block.measures):
            n = failed[at] + scored[at]
            if failed[at] > MAX_FAILED * n:
                row = int((block.status[:, at] == FAILED).argmax())
                why = block.notes.get((row, at), "no reason given")
                first = f"{block.kind} {block.subjects[row]}".strip()
                problems.append(f"{measure.name}: {failed[at]} of {n} failed; first {first}: {why}")
    return problems


def reranking_problems(counted: Mapping[str, Any], n_questions: int) -> list[str]:
    """Why the run says nothing of its reranker: more than 10 % of the questions could not be reranked and kept the
    order they had, so that the figures are in part those of no reranker."""
    failed = int(counted.get("failed", 0))
    if failed <= MAX_FAILED * n_questions:
        return []
    reasons = counted.get("failures") or ["no reason given"]
    return [f"reranker: {failed} of {n_questions} questions kept the first stage's order; first {reasons[0]}"]


def require_health(table: ScoreTable) -> None:
    """Raise CannotTell (exit code 3) naming every problem, where there are any."""
    problems = health_problems(table)
    if problems:
        raise CannotTell("this run is no result: " + "; ".join(problems))
