"""Late interaction of claims with sentences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from ragbench.core.workers import Floats, TextEmbedder

_FLOOR, _SPAN = 0.75, 0.25
_KEPT = 8192


class LateClaims:
    """Token vectors of claims and sentences, kept by text. Both are embedded as passages: a claim is a statement."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._states: OrderedDict[str, Floats] = OrderedDict()

    def __call__(self, claim: str, texts: Sequence[str]) -> tuple[list[float], list[float]]:
        """For each text the mean and the lowest tenth over the claim's tokens of the best cosine, [0.75, 1] mapped
        to [0, 1]."""
        missing = [text for text in dict.fromkeys([claim, *texts]) if text not in self._states]
        if missing:
            states = self._embedder.token_vectors(missing, "passage")
            self._states.update(zip(missing, states, strict=True))
        asked = self._states[claim]
        pairs = [_match(asked, self._states[text]) for text in texts]
        while len(self._states) > _KEPT:
            self._states.popitem(last=False)
        return [mean for mean, _ in pairs], [low for _, low in pairs]


def _match(claim: Floats, passage: Floats) -> tuple[float, float]:
    if not len(claim) or not len(passage):
        return 0.0, 0.0
    best = (claim @ passage.T).max(axis=1).astype(np.float64)
    return _scaled(float(best.mean())), _scaled(float(np.percentile(best, 10)))


def _scaled(value: float) -> float:
    return round(min(1.0, max(0.0, (value - _FLOOR) / _SPAN)), 6)
