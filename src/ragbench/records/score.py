"""Scores, verdicts and aggregates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

SubjectKind = Literal["question", "document", "variant"]


class Status(StrEnum):
    """State of a score. The mean is over SCORED; FAILED counts as worst in the pessimistic mean."""

    SCORED = "scored"
    NOT_APPLICABLE = "n/a"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Subject:
    """What was scored: a question, a document, or the variant as a whole (`id` empty)."""

    kind: SubjectKind
    id: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """One cell of subjects × measures. `value` is None unless `status` is SCORED.

    `evidence` says what decided it, in words; `judge` names who judged (empty: computed exactly).
    """

    measure: str
    subject: Subject
    status: Status
    value: float | None = None
    evidence: str = ""
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Mean of a measure with a bootstrap interval and the three counts.

    `mean`, `low`, `high` are None when nothing was scored. `pessimistic` is the mean with FAILED as the worst value.
    """

    mean: float | None
    low: float | None
    high: float | None
    n_scored: int
    n_na: int
    n_failed: int
    pessimistic: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As it stands in summary.json."""
        return {
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "n_scored": self.n_scored,
            "n_na": self.n_na,
            "n_failed": self.n_failed,
            "pessimistic": self.pessimistic,
        }


class ClaimState(StrEnum):
    """What a judge says of a claim against the context."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_ENOUGH = "not_enough"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """One claim of the answer, `[start, end)` of its text, and the passage that decided."""

    claim: str
    state: ClaimState
    score: float | None = None
    start: int = 0
    end: int = 0
    block: int | None = None
    sentence: str = ""


NO_RELEVANCY, NO_REFERENCE = "relevancy", "reference"
"""What a verdict may leave out (`Verdict.omitted`)."""


@dataclass(frozen=True, slots=True)
class JudgedValue:
    """A number that a judge computes itself, for the measure `measure` (`answer/ragas_faithfulness`): `value` is None
    unless `status` is SCORED, `why` says what decided or why there is none."""

    measure: str
    status: Status
    value: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one answer. `judge` is its name and version, `error` why it could not judge.

    `relevancy` is in [0, 1] or None; `reference_in_answer` and `reference_in_context` judge the claims of the
    reference answer. `omitted` names what this judge was not asked for, so that it is missing and not failed:
    `relevancy`, `reference`. `values` are numbers of measures of the judge's own; of them each may have failed alone.
    `usage` counts what language models were asked for it (`calls`, tokens, `untold`).
    """

    question_id: str
    judge: str
    claims: tuple[ClaimVerdict, ...] = ()
    relevancy: float | None = None
    reference_in_answer: tuple[ClaimVerdict, ...] = ()
    reference_in_context: tuple[ClaimVerdict, ...] = ()
    error: str | None = None
    omitted: tuple[str, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    values: tuple[JudgedValue, ...] = ()
