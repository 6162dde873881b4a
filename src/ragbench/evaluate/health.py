"""Whether a run says anything at all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.errors import CannotTell
from ragbench.evaluate.table import FAILED, NOT_APPLICABLE, SCORED, ScoreTable

MAX_FAILED = 0.10
"""Share of FAILED among the cells a measure should have scored, above which a run is no result."""

_FAILED = re.compile(
    r"(?P<measure>\S+/\S+): (?P<n>\d+) of (?P<of>\d+) failed; first (?P<where>.*?): (?P<why>.*)", re.DOTALL
)
_CLASS = re.compile(r"[A-Z]\w+(?=: )")
UNRECORDED = "replay"
"""Begins the line on recordings that a replay lacks."""
_LACKING = "MissingEntry"
"""What their absence is called in the lines of measures."""


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


def folded(health: Sequence[str]) -> list[str]:
    """The lines as people read them: measures that failed of one cause (a class of error, else the same words) are one
    line with their number, and those of a replay without recordings are left to the line that says so."""
    told = any(line.startswith(f"{UNRECORDED}: ") for line in health)
    groups: dict[str, list[re.Match[str] | str]] = {}
    for line in health:
        found = _FAILED.fullmatch(line)
        known = _CLASS.match(found["why"]) if found else None
        cause = known[0] if known else found["why"] if found else line
        if not (told and cause == _LACKING):
            groups.setdefault(cause, []).append(found or line)
    return [_one_line(group) for group in groups.values()]


def _one_line(group: Sequence[re.Match[str] | str]) -> str:
    first = group[0]
    if isinstance(first, str) or len(group) == 1:
        return first if isinstance(first, str) else first[0]
    n, of = max((int(one["n"]), int(one["of"])) for one in group if not isinstance(one, str))
    where = f"first {first['where']}: {first['why']}"
    return f"{first['measure']} and {len(group) - 1} more measures: up to {n} of {of} failed; {where}"


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
