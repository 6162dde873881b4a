"""Late interaction of a question with sentences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragbench.core.workers import Floats, TextEmbedder

_FLOOR, _SPAN = 0.65, 0.3
_KEPT = 4096


@dataclass(frozen=True, slots=True)
class LateScore:
    """`plain`: mean over the question's tokens of the best cosine; `weighted`: the same with tokens that tell the
    candidates apart weighing more. Both in [0, 1]: [0.65, 0.95] mapped there and clipped, since cosines of such a
    model crowd together.

    `best` are those cosines, one a token of the question, and `alike` is the cosine of the mean token vectors of
    question and text, 0 where one has none; both as they are, in [-1, 1]."""

    plain: float
    weighted: float
    best: tuple[float, ...] = ()
    alike: float = 0.0


class LateMatch:
    """MaxSim (Khattab and Zaharia 2020, arXiv:2004.12832) over an embedder's token vectors; sentences are kept by
    their text."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._passages: OrderedDict[str, Floats] = OrderedDict()

    def scores(self, question: str, texts: Sequence[str]) -> list[LateScore]:
        """The scores of each text in order; 0 for a text, or a question, without tokens."""
        (asked,) = self._embedder.token_vectors([question], "query")
        missing = list(dict.fromkeys(text for text in texts if text not in self._passages))
        if missing:
            for text, states in zip(missing, self._embedder.token_vectors(missing, "passage"), strict=True):
                self._passages[text] = states
        best = np.stack([_best_cosines(asked, self._passages[text]) for text in texts])
        alike = [_alike(asked, self._passages[text]) for text in texts]
        while len(self._passages) > _KEPT:
            self._passages.popitem(last=False)
        weights = _telling(best)
        return [
            LateScore(
                _scaled(row.mean() if len(row) else 0.0), _scaled(float(row @ weights)), tuple(row.tolist()), mean
            )
            for row, mean in zip(best, alike, strict=True)
        ]


def _best_cosines(query: Floats, passage: Floats) -> NDArray[np.float64]:
    """For each query token its best cosine with a passage token; zeros where the passage has none."""
    if not len(query) or not len(passage):
        return np.zeros(len(query))
    return np.asarray((query @ passage.T).max(axis=1), dtype=np.float64)


def _alike(query: Floats, passage: Floats) -> float:
    """Cosine of the mean vectors, rounded to six digits."""
    if not len(query) or not len(passage):
        return 0.0
    one, other = query.mean(axis=0, dtype=np.float64), passage.mean(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return round(float(one @ other) / length, 6) if length > 0 else 0.0


def _telling(best: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of the query tokens, sum 1: best minus median over the candidates, so that a token that every
    candidate matches alike decides nothing; equal where none tells them apart."""
    n = best.shape[1]
    spread = best.max(axis=0) - np.median(best, axis=0)
    total = float(spread.sum())
    return spread / total if total > 1e-9 else np.full(n, 1 / n if n else 0.0)


def _scaled(value: float) -> float:
    return round(min(1.0, max(0.0, (float(value) - _FLOOR) / _SPAN)), 6)
