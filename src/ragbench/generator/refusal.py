"""The probability that a context answers a question, by a small logistic model that can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ragbench.core.codec import loads
from ragbench.generator.choose import Scored

FEATURES = ("best_late", "covered", "chinese")


def features_of(scored: Sequence[Scored], covered: float, chinese: bool) -> dict[str, float]:
    """What the calibration sees of the candidates, each in [0, 1]: best late-interaction score (0 without one), share
    of the question's weight found anywhere in the context, and whether the question is Chinese."""
    return {
        "best_late": max((item.late.plain for item in scored if item.late), default=0.0),
        "covered": covered,
        "chinese": float(chinese),
    }


@dataclass(frozen=True, slots=True)
class Calibration:
    """`probability = 1 / (1 + exp(-(bias + Σ weight · feature)))`."""

    bias: float
    weights: Mapping[str, float]

    @staticmethod
    def load(scorer: str) -> Calibration:
        """The shipped numbers for a scorer (`refusal_model.json`)."""
        return _load(scorer)

    def probability(self, features: Mapping[str, float]) -> float:
        """In (0, 1), rounded to six digits."""
        total = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return round(1 / (1 + math.exp(-max(-60.0, min(60.0, total)))), 6)


@cache
def _load(scorer: str) -> Calibration:
    data = loads((files("ragbench.generator") / "refusal_model.json").read_bytes())
    return Calibration(data[scorer]["bias"], data[scorer]["weights"])
