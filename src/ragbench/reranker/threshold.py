"""From a model's scores to probabilities, and dropping what is unlikely to help."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbench.errors import ConfigError
from ragbench.records.search import Ranking

_FIELDS = ("a", "b")


@dataclass(frozen=True, slots=True)
class Platt:
    """`p = 1 / (1 + exp(-(a·s + b)))`, the probability that a chunk with score s is relevant; `a` above 0, so that
    the order stays. Source: Platt (1999), "Probabilistic outputs for support vector machines"."""

    a: float
    b: float

    def probability(self, score: float) -> float:
        """In (0, 1), rounded to 6 decimals."""
        return round(1 / (1 + math.exp(-max(-60.0, min(60.0, self.a * score + self.b)))), 6)


def platt(calibration: Mapping[str, float] | None) -> Platt | None:
    """The calibration of a configuration, `{a, b}` or null. Raises ConfigError for anything else."""
    if calibration is None:
        return None
    numbers = [calibration.get(name) if isinstance(calibration, Mapping) else None for name in _FIELDS]
    sound = all(isinstance(n, int | float) and not isinstance(n, bool) and math.isfinite(n) for n in numbers)
    if not sound or set(calibration) != set(_FIELDS) or numbers[0] <= 0:  # type: ignore[operator]
        raise ConfigError(
            "pipeline.reranker.calibration",
            expected="null, or {a: a number above 0, b: a number}",
            found=str(calibration),
            hint="ragbench calibrate fits one.",
        )
    return Platt(float(calibration["a"]), float(calibration["b"]))


def check_threshold(threshold: float | None, min_kept: int) -> None:
    """Raises ConfigError for a threshold outside of 0 to 1 or a `min_kept` below 0."""
    if threshold is not None and (isinstance(threshold, bool) or not 0 <= threshold <= 1):
        raise ConfigError("pipeline.reranker.threshold", expected="null, or 0 to 1", found=str(threshold))
    if isinstance(min_kept, bool) or not isinstance(min_kept, int) or min_kept < 0:
        raise ConfigError("pipeline.reranker.min_kept", expected="a whole number from 0", found=repr(min_kept))


def above(ranking: Ranking, threshold: float | None, min_kept: int) -> Ranking:
    """The hits that score at least `threshold`, and in any case the first `min_kept`; all of them where it is None.

    Raises ConfigError where scores are not from 0 to 1, since a threshold would mean nothing.
    """
    if threshold is None or not ranking:
        return ranking
    scores: Sequence[float] = [hit.score for hit in ranking]
    if min(scores) < 0 or max(scores) > 1:
        raise ConfigError(
            "pipeline.reranker.threshold",
            expected="scores from 0 to 1",
            found=f"scores from {min(scores):g} to {max(scores):g}",
            hint="Give pipeline.reranker.calibration, or set pipeline.reranker.threshold=null.",
        )
    return tuple(hit for hit in ranking if hit.score >= threshold or hit.rank <= min_kept)
