"""The probability that a context answers a question, by a small logistic model that can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ragbench.core.codec import loads
from ragbench.generator.choose import Scored

FEATURES = ("alike", "weakest", "covered", "chinese")
_WEAKEST = 4
"""One in so many words of the question, the worst matched ones, decide `weakest`."""


def features_of(scored: Sequence[Scored], covered: float, chinese: bool) -> dict[str, float]:
    """What the calibration sees of the candidates, each in [0, 1].

    `alike`: best cosine of question and candidate. `weakest`: the quarter of the question's tokens that no candidate
    matches well, as the mean of their best cosines with any. Both are 0 without late interaction. `covered`: share of
    the question's weight found anywhere in the context. `chinese`: whether the question is Chinese.
    """
    late = [item.late for item in scored if item.late is not None]
    return {
        "alike": max((max(0.0, one.alike) for one in late), default=0.0),
        "weakest": _weakest([one.best for one in late]),
        "covered": covered,
        "chinese": float(chinese),
    }


def _weakest(rows: Sequence[Sequence[float]]) -> float:
    best = sorted(max(0.0, *column) for column in zip(*rows, strict=True))
    worst = best[: max(1, len(best) // _WEAKEST)]
    return round(sum(worst) / len(worst), 6) if worst else 0.0


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
