"""Is a judge good enough to gate on? Measured on shipped claims whose verdict is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from ragbench.core.codec import loads
from ragbench.judge.base import OpenJudge
from ragbench.records.question import Question
from ragbench.records.score import ClaimState
from ragbench.records.trace import Answer, ContextBlock, PackedContext

FLOOR = 0.75
"""Least lower 95 % bound of balanced accuracy a judge must reach in each language to gate."""

_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class PlantedClaim:
    """A claim of a kind that no shipped judge was trained on, in a passage of the shipped corpora, and whether that
    supports it."""

    language: str
    kind: str
    context: str
    claim: str
    supported: bool


@dataclass(frozen=True, slots=True)
class FloorResult:
    """Balanced accuracy on `n` planted claims of a language; `low` is its one-sided lower 95 % bound (bootstrap
    within the classes, seed 0). `n_errors` verdicts gave no state and count as wrong. `by_kind` holds the share
    right of each kind."""

    language: str
    n: int
    balanced_accuracy: float
    low: float
    n_errors: int
    by_kind: dict[str, float]

    @property
    def passes(self) -> bool:
        """Whether the lower bound reaches the floor."""
        return self.low >= FLOOR


def planted_claims() -> tuple[PlantedClaim, ...]:
    """The shipped claims (`planted.json`), in their order."""
    data = loads((files("ragbench.judge") / "planted.json").read_bytes())
    return tuple(PlantedClaim(context=data["contexts"][row.pop("at")], **row) for row in data["claims"])


def judge_floor(judge: OpenJudge, claims: Sequence[PlantedClaim]) -> tuple[FloorResult, ...]:
    """Let a judge decide each planted claim; one result a language, in order of their names. No claims: no
    results."""
    return floor_results(claims, [_says(judge, place, claim) for place, claim in enumerate(claims)])


def floor_results(claims: Sequence[PlantedClaim], said: Sequence[bool | None]) -> tuple[FloorResult, ...]:
    """What a judge said of each planted claim (supported or not; None: it could not tell), summed up as by
    `judge_floor`."""
    return tuple(
        _result(language, [(claim, word) for claim, word in zip(claims, said) if claim.language == language])
        for language in sorted({claim.language for claim in claims})
    )


def _says(judge: OpenJudge, place: int, planted: PlantedClaim) -> bool | None:
    """Supported when all its claims are; None where the judge could not tell."""
    block = ContextBlock(1, "planted", 0, len(planted.context), (0,), planted.context, 0)
    verdict = judge.judge(Question(f"planted-{place}", planted.claim), PackedContext((block,)), Answer(planted.claim))
    if verdict.error or not verdict.claims or any(claim.state is ClaimState.ERROR for claim in verdict.claims):
        return None
    return all(claim.state is ClaimState.SUPPORTED for claim in verdict.claims)


def _result(language: str, pairs: Sequence[tuple[PlantedClaim, bool | None]]) -> FloorResult:
    right = np.array([word is not None and word == claim.supported for claim, word in pairs], dtype=np.float64)
    truth = np.array([claim.supported for claim, _ in pairs])
    kinds = sorted({claim.kind for claim, _ in pairs})
    of_kind = {kind: np.array([claim.kind == kind for claim, _ in pairs]) for kind in kinds}
    return FloorResult(
        language=language,
        n=len(pairs),
        balanced_accuracy=round(_balanced(right[truth], right[~truth]), 6),
        low=round(_lower(right[truth], right[~truth]), 6),
        n_errors=sum(word is None for _, word in pairs),
        by_kind={kind: round(float(right[mask].mean()), 6) for kind, mask in of_kind.items()},
    )


def _balanced(true: NDArray[np.float64], false: NDArray[np.float64]) -> float:
    return float(np.mean([part.mean() for part in (true, false) if len(part)]))


def _lower(true: NDArray[np.float64], false: NDArray[np.float64]) -> float:
    rng = np.random.default_rng(0)
    means = [rng.choice(part, (_RESAMPLES, len(part))).mean(axis=1) for part in (true, false) if len(part)]
    return float(np.percentile(np.mean(means, axis=0), 5))
