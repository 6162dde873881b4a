"""The support score: a logistic model of the signals, kept as numbers that can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ragbench.core.codec import loads
from ragbench.judge.claims import Claim
from ragbench.judge.evidence import Evidence, facts_of
from ragbench.judge.signals import signals
from ragbench.records.score import ClaimState, ClaimVerdict


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
    def load() -> SupportModel:
        """The shipped numbers (`offline_model.json`)."""
        return _load()

    def score(self, values: Mapping[str, float]) -> float:
        """In (0, 1), rounded to six digits."""
        return _logistic(self.bias, self.weights, values)


def _logistic(bias: float, weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    total = bias + sum(weight * values[name] for name, weight in weights.items())
    return round(1 / (1 + math.exp(-max(-60.0, min(60.0, total)))), 6)


@cache
def _load() -> SupportModel:
    data = loads((files("ragbench.judge") / "offline_model.json").read_bytes())
    answer = AnswerModel(data["answer"]["bias"], data["answer"]["weights"])
    return SupportModel(data["bias"], data["weights"], data["threshold"], answer)


def check_claim(claim: Claim, evidence: Evidence, model: SupportModel) -> ClaimVerdict:
    """Whether the evidence states a claim, the score, and the passage that decided.

    A claim that stands there word for word is supported with 1.0, without the model. Without passages nothing is
    supported (score 0). Below the threshold it is contradicted where a passage with half of its words gives another
    value of the same unit or the opposite polarity, else there is not enough.
    """
    facts = facts_of(claim.text)
    literal = evidence.verbatim(facts)
    if literal is not None:
        return ClaimVerdict(claim.text, ClaimState.SUPPORTED, 1.0, claim.start, claim.end, literal.block, literal.text)
    found = signals(claim.text, facts, evidence)
    if found is None:
        return ClaimVerdict(claim.text, ClaimState.NOT_ENOUGH, 0.0, claim.start, claim.end)
    score = model.score(found.values)
    state = ClaimState.SUPPORTED
    if score < model.threshold:
        state = ClaimState.CONTRADICTED if found.contradicts else ClaimState.NOT_ENOUGH
    return ClaimVerdict(claim.text, state, score, claim.start, claim.end, found.best.block, found.best.text)
