"""Late interaction of a question with sentences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from ragbench.core.workers import Floats, TextEmbedder

_FLOOR, _SPAN = 0.75, 0.2
_KEPT = 4096


class LateMatch:
    """MaxSim (Khattab and Zaharia 2020, arXiv:2004.12832) over an embedder's token vectors; sentences are kept by
    their text."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._passages: OrderedDict[str, Floats] = OrderedDict()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Mean over the question's tokens of the best cosine in each text, [0.75, 0.95] mapped to [0, 1] and clipped
        there, since cosines of this kind of model crowd near 1; 0 for a text without tokens."""
        (asked,) = self._embedder.token_vectors([question], "query")
        missing = list(dict.fromkeys(text for text in texts if text not in self._passages))
        if missing:
            for text, states in zip(missing, self._embedder.token_vectors(missing, "passage"), strict=True):
                self._passages[text] = states
        found = [scaled(max_sim(asked, self._passages[text])) for text in texts]
        while len(self._passages) > _KEPT:
            self._passages.popitem(last=False)
        return found


def max_sim(query: Floats, passage: Floats) -> float:
    """Mean over query tokens of the best cosine with a passage token, in [-1, 1]; 0 where either has no tokens."""
    if not len(query) or not len(passage):
        return 0.0
    return float((query @ passage.T).max(axis=1).mean(dtype=np.float64))


def scaled(value: float) -> float:
    """A mean best cosine brought to [0, 1]."""
    return round(min(1.0, max(0.0, (value - _FLOOR) / _SPAN)), 6)
