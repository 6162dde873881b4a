"""The support score: a logistic model of the signals, kept as numbers that can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ragbench.core.codec import loads
from ragbench.judge.claims import Claim
from ragbench.judge.evidence import Evidence, Passage, facts_of
from ragbench.judge.likeness import ClaimLikeness
from ragbench.judge.signals import signals
from ragbench.records.score import ClaimState, ClaimVerdict

_TELLS = 0.5
"""Share of a claim's words from which on the passage with most of them is the one it is held against; else the
nearest by token vectors."""


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """`score = 1 / (1 + exp(-(bias + Σ weight · signal)))` of the signals of a whole answer."""

    bias: float
    weights: Mapping[str, float]

    def score(self, values: Mapping[str, float]) -> float:
        """In (0, 1), rounded to six digits."""
        return _logistic(self.bias, self.weights, values)


@dataclass(frozen=True, slots=True)
class SupportModel:
    """`score = 1 / (1 + exp(-(bias + Σ weight · signal)))`; from `threshold` on a claim is supported. `answer` scores
    whole answers."""

    bias: float
    weights: Mapping[str, float]
    threshold: float
    answer: AnswerModel = AnswerModel(0.0, {})

    @staticmethod
    def load(vectors: bool = False) -> SupportModel:
        """The shipped numbers (`offline_model.json`): of words alone, or with `vectors` of words and token vectors."""
        return _load(vectors)

    def score(self, values: Mapping[str, float]) -> float:
        """In (0, 1), rounded to six digits."""
        return _logistic(self.bias, self.weights, values)


def _logistic(bias: float, weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    total = bias + sum(weight * values[name] for name, weight in weights.items())
    return round(1 / (1 + math.exp(-max(-60.0, min(60.0, total)))), 6)


@cache
def _load(vectors: bool) -> SupportModel:
    data = loads((files("ragbench.judge") / "offline_model.json").read_bytes())["vectors" if vectors else "words"]
    answer = AnswerModel(data["answer"]["bias"], data["answer"]["weights"])
    return SupportModel(data["bias"], data["weights"], data["threshold"], answer)


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on a claim, and how much of it the context says in the same or like words, in [0, 1] (`soft_cover`; 1
    for one that stands there word for word; None without token vectors)."""

    verdict: ClaimVerdict
    soft: float | None


def check_claim(
    claim: Claim, evidence: Evidence, model: SupportModel, likeness: ClaimLikeness | None = None
) -> Checked:
    """Whether the evidence states a claim, the score, and the passage that decided.

    A model of token vectors takes its further signals from `likeness`. A claim that stands there word for word is
    supported with 1.0, without the model. Without passages nothing is supported (score 0). Below the threshold it is
    contradicted where a passage with half of its words gives another value of the same unit or the opposite polarity,
    else there is not enough.
    """
    facts = facts_of(claim.text)
    literal = evidence.verbatim(facts)
    if literal is not None:
        return Checked(_verdict(claim, ClaimState.SUPPORTED, 1.0, literal), None if likeness is None else 1.0)
    found = signals(claim.text, facts, evidence)
    if found is None:
        return Checked(_verdict(claim, ClaimState.NOT_ENOUGH, 0.0, None), None if likeness is None else 0.0)
    like = likeness.of(claim.text, evidence) if likeness is not None else None
    score = model.score({**found.values, **(like.values if like else {})})
    best = like.nearest if like and like.nearest and found.values["sentence_cover"] < _TELLS else found.best
    state = ClaimState.SUPPORTED
    if score < model.threshold:
        state = ClaimState.CONTRADICTED if found.contradicts else ClaimState.NOT_ENOUGH
    return Checked(_verdict(claim, state, score, best), like.values["soft_cover"] if like else None)


def _verdict(claim: Claim, state: ClaimState, score: float, passage: Passage | None) -> ClaimVerdict:
    where = (None, "") if passage is None else (passage.block, passage.text)
    return ClaimVerdict(claim.text, state, score, claim.start, claim.end, *where)
