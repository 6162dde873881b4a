"""How alike an answer and its reference are, by the variant's embedder: what `answer/correctness_semantic` reads."""

from __future__ import annotations

import numpy as np

from ragbench.core.workers import TextEmbedder
from ragbench.judge.claims import split_claims


class AnswerCosines:
    """Cosines of what two texts claim, embedded as queries through the cache of `embedder`: the offline judge embeds
    the claims of an answer in the same way, so each is computed once. Rows are of length 1."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder

    def __call__(self, text: str, other: str) -> float:
        """In [-1, 1]; the same text twice is 1."""
        said, wanted = self._embedder.embed_queries([_claimed(text), _claimed(other)])
        return float(np.clip(np.dot(said.astype(np.float64), wanted.astype(np.float64)), -1.0, 1.0))


def _claimed(text: str) -> str:
    """The claims of a text without marks of citation; the text itself where it claims nothing."""
    return " ".join(claim.text for claim in split_claims(text)) or text
