"""What a measure is and what it says of one subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

from ragbench.measure.name import MeasureName
from ragbench.records.question import Question
from ragbench.records.score import Score, Status, Subject, SubjectKind


class Finding(NamedTuple):
    """What a measure found: a value, or why there is none. `evidence` says in words what decided."""

    status: Status
    value: float | None = None
    evidence: str = ""


Outcome = Finding | float
"""What a measure's function returns; a bare number is a scored value without evidence."""


@lru_cache(maxsize=1024)
def not_applicable(why: str) -> Finding:
    """The measure has no meaning here: neither 0 nor 1, and not in the mean."""
    return Finding(Status.NOT_APPLICABLE, None, why)


def failed(why: str) -> Finding:
    """There should be a value and there is none."""
    return Finding(Status.FAILED, None, why)


class Population(StrEnum):
    """Which questions a measure applies to; the others are not applicable, whatever the variant did."""

    ALL = "all questions"
    EVIDENCE = "answerable questions with evidence"
    ANSWERABLE = "answerable questions"
    UNANSWERABLE = "unanswerable questions"
    REFERENCE = "answerable questions with a reference answer"
    COMPLEXITY = "questions with a complexity label"
    UNDERSPECIFIED = "underspecified questions"
    SPECIFIED = "questions that are not underspecified"

    def excludes(self, question: Question) -> bool:
        """Whether the question lies outside."""
        match self:
            case Population.ALL:
                return False
            case Population.EVIDENCE:
                return not (question.answerable and question.groups)
            case Population.ANSWERABLE:
                return not question.answerable
            case Population.UNANSWERABLE:
                return question.answerable
            case Population.REFERENCE:
                return not (question.answerable and question.reference)
            case Population.COMPLEXITY:
                return not question.complexity
            case Population.UNDERSPECIFIED:
                return not question.underspecified
            case Population.SPECIFIED:
                return question.underspecified


_OUTSIDE = {population: not_applicable(f"only for {population.value}") for population in Population}


class Reach(StrEnum):
    """How far a trace must have come before its error for a measure still to be read from it.

    A measure of reach `FUSED` reads nothing that came after: of a trace only requests, route lists and the ranking
    before reranking with its continuation, so that its value is shared by variants that agree in those. For the same
    reason one of reach `NOTHING` in the layer `chunks/` reads no trace, and one in the layer `query/` of a trace
    without `untransformed` and `likeness` only `query`.
    """

    NOTHING = "nothing"
    QUERY = "query class"
    FUSED = "fused ranking"
    RERANKED = "final ranking"
    CONTEXT = "context"
    ANSWER = "answer"


_UNMADE = {reach: not_applicable(f"the variant makes no {reach.value}") for reach in Reach}


@dataclass(frozen=True, slots=True)
class Measure:
    """One column of the score table.

    `function` maps a subject's case (`Case`, `DocumentCase` or `VariantCase`) to an `Outcome` and changes nothing.
    `bounds` are checked on every value. `worst` replaces FAILED in the pessimistic mean, and is the score of a question
    that is absent from the run; None means that no worst value exists (a time), and absence is FAILED.
    """

    name: str
    definition: str
    function: Callable[[Any], Outcome]
    subject: SubjectKind = "question"
    population: Population = Population.ALL
    reach: Reach = Reach.NOTHING
    higher_is_better: bool = True
    worst: float | None = 0.0
    bounds: tuple[float, float] = (0.0, 1.0)
    judged: bool = False

    @property
    def layer(self) -> str:
        """First part of the name."""
        return MeasureName.parse(self.name).layer

    def compute(self, case: Any) -> Score:
        """The score of one subject. A function that raises is FAILED with its message."""
        finding = self.find(case)
        judge = (case.judge if self.judged and finding.status is not Status.NOT_APPLICABLE else "") or ""
        return Score(self.name, Subject(self.subject, case.subject_id), *finding, judge)

    def find(self, case: Any) -> Finding:
        """Status, value and evidence of one subject; never raises."""
        try:
            blocked = self.blocked(case) if self.subject == "question" else None
        except Exception as error:  # a case that cannot even be looked at
            return failed(f"{type(error).__name__}: {error}")
        return self.ask(case) if blocked is None else blocked

    def ask(self, case: Any) -> Finding:
        """As `find`, for a case that `blocked` lets through."""
        outcome = self.outcome(case)
        return outcome if isinstance(outcome, Finding) else Finding(Status.SCORED, outcome)

    def outcome(self, case: Any) -> Outcome:
        """As `ask`, a score without words as a bare number."""
        try:
            outcome = self.function(case)
        except Exception as error:  # whatever a measure raises is this cell's failure, counted as FAILED
            return failed(f"{type(error).__name__}: {error}")
        if isinstance(outcome, Finding):
            if outcome.status is not Status.SCORED:
                return outcome
            value = outcome.value
        else:
            value = outcome
        low, high = self.bounds
        if value is None or not (low <= value <= high and value != inf):
            return failed(f"value {value} is not within {low} to {high}")
        return outcome

    def blocked(self, case: Any) -> Finding | None:
        """Why the function of a measure of questions is not asked: outside the population, a part that the variant
        lacks, absent from the run, or not reached before an error; None: it is asked."""
        if self.population in case.outside:
            return _OUTSIDE[self.population]
        trace = case.trace
        if self.reach is Reach.NOTHING:
            return None
        if not case.offers(self.reach):
            return _UNMADE[self.reach]
        if trace is None:
            if self.worst is None:
                return failed("absent from the run")
            return Finding(Status.SCORED, self.worst, "absent from the run")
        if trace.error is not None and not case.reached(self.reach):
            return failed(trace.error)
        return None
