"""Answers whose verdict is known, and what a judge said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer over passages, and what is known of it.

    `group` keeps answers over the same passages together when intervals resample. `supported`: whether the passages
    state all of it; None where that was not asked, or there is nothing to support (a refusal). `grade`: people's mean
    rating, higher is better. `on_topic`: whether it addresses the question. `claims_nothing`: an empty answer or a
    refusal. `parts` are stretches `[start, end)` of the answer with a truth of their own.
    """

    id: str
    group: str
    language: str
    kind: str
    question: str
    passages: tuple[str, ...]
    answer: str
    supported: bool | None = None
    grade: float | None = None
    reference: str = ""
    on_topic: bool | None = None
    claims_nothing: bool = False
    parts: tuple[tuple[int, int, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Preference:
    """Two answers of a set by their places, and by aspect what people say of the second against the first (above 0:
    better)."""

    first: int
    second: int
    said: Mapping[str, float]


@dataclass(frozen=True)
class LabelledSet:
    """Answers with human labels. `data` is the hash of the files they were read from, `people` what the annotators
    agree on among themselves by measure, where the data tells. `note` says what is to be known of the labels."""

    name: str
    title: str
    licence: str
    data: str
    answers: tuple[LabelledAnswer, ...]
    pairs: tuple[Preference, ...] = ()
    people: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a judge said of one answer.

    `claims` is how many it read. `share` is that of the supported ones (faithfulness), `score` the support score of the
    whole answer, else the weakest claim's, or the share from judges without scores; None where it read no claims or
    failed (`error`). `stated` is the share of the reference's claims that it found in the answer. `parts` says of each
    part of the answer whether all its claims are supported, None where it read none in it.
    """

    claims: int = 0
    share: float | None = None
    score: float | None = None
    stated: float | None = None
    relevancy: float | None = None
    parts: tuple[bool | None, ...] = ()
    error: str = ""

    @property
    def supported(self) -> bool | None:
        """Whether all claims are supported; None where there is no share."""
        return None if self.share is None else self.share == 1.0
