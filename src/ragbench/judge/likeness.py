"""How like its context a claim is where it uses other words, by token vectors of the offline embedder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from ragbench.core.store import Store
from ragbench.core.workers import Floats, TextEmbedder
from ragbench.embedder.cached import CachedEmbedder
from ragbench.embedder.e5_small import E5Small
from ragbench.judge.evidence import Evidence, Passage
from ragbench.reranker.token_memory import TokenMemory
from ragbench.text.terms import content_terms, is_function_word

LIKENESS = ("soft_cover", "rest_like", "late_best", "alike")
"""The signals of `ClaimLikeness.of`, each in [0, 1]."""

_FLOOR, _SPAN = 0.7, 0.25


@dataclass(frozen=True, slots=True)
class Like:
    """The signals of one claim, and the passage that is nearest to it (None: nothing could be compared)."""

    values: Mapping[str, float]
    nearest: Passage | None


NOTHING_LIKE = Like(dict.fromkeys(LIKENESS, 0.0), None)


def own_embedder(folder: str) -> E5Small:
    """The embedder that the weights were fitted with; cosines of others lie elsewhere. `folder` keeps built models."""
    return E5Small(
        runtime="auto", overflow="window_mean", query_prefix="query: ", passage_prefix="passage: ", cache_dir=folder
    )


@contextmanager
def claim_embedder(store: Store, given: TextEmbedder | None) -> Iterator[TextEmbedder]:
    """The pipeline's embedder where it gives the same vectors, else that one beside it, over the same store.

    Raises ConfigError where its weights are not installed.
    """
    recipe = own_embedder(str(store.root))
    if given is not None and given.space == recipe.fingerprint():
        yield given
        return
    with recipe.open() as worker:
        yield CachedEmbedder(worker, store, purpose="judging")


class ClaimLikeness:
    """Compares claims (as queries) with the sentences of a context (as passages), all of them once."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._memory = TokenMemory(embedder)
        self._offsets = embedder.token_offsets  # type: ignore[attr-defined]
        self._blas = ThreadpoolController()

    def of(self, claim: str, evidence: Evidence) -> Like:
        """Signals of a claim; all 0 where it or the context has no tokens.

        With the best cosine of each token of the claim to any token of the context (MaxSim, Khattab and Zaharia 2020,
        arXiv:2004.12832): `soft_cover`, the mean over its content tokens, where one whose word stands in the context
        counts 1; `rest_like`, the mean over content tokens whose words do not stand there, 1 where all do.
        `late_best`: MaxSim with the best single sentence. `alike`: best cosine of the mean token vectors of claim and
        sentence. Cosines between 0.7 and 0.95 are stretched to [0, 1] and clipped.
        """
        asked = self._memory.query(claim)
        by_text = {passage.text: passage for passage in reversed(evidence.passages)}
        texts = list(dict.fromkeys(passage.text for passage in evidence.passages))
        known = [(by_text[text], rows) for text, rows in zip(texts, self._memory.passages(texts)) if len(rows)]
        if not len(asked) or not known:
            return NOTHING_LIKE
        with self._blas.limit(limits=1):  # on a busy machine the threads of small products wait for each other
            best = np.stack([(asked @ rows.T).max(axis=1) for _, rows in known])
        late = best.mean(axis=1, dtype=np.float64).round(6)
        anywhere = _stretched(best.max(axis=0))
        content, rest = self._kinds(claim, evidence.terms, len(asked))
        values = {
            "soft_cover": _mean(np.where(rest, anywhere, 1.0)[content], 0.0),
            "rest_like": _mean(anywhere[rest], 1.0),
            "late_best": _mean(_stretched(late.max(keepdims=True)), 0.0),
            "alike": _mean(_stretched(_alike(asked, [rows for _, rows in known]).max(keepdims=True)), 0.0),
        }
        return Like(values, known[int(late.argmax())][0])

    def _kinds(self, claim: str, held: frozenset[str], n: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which tokens stand in words that say something, and which of those words are not in the context."""
        content, rest = np.zeros(n, bool), np.zeros(n, bool)
        for at, (start, end) in enumerate(self._offsets(claim)[:n]):
            words = _words_at(claim, start, end)
            content[at] = bool(words)
            rest[at] = bool(words) and held.isdisjoint(words)
        return content, rest


def _words_at(text: str, start: int, end: int) -> list[str]:
    """Content terms of the word that a token is part of; of Chinese those with its neighbouring characters too."""
    if any("\u3400" <= char <= "\u9fff" for char in text[start:end]):
        start, end = max(0, start - 1), end + 1
    else:
        while start > 0 and _latin(text[start - 1]):
            start -= 1
        while end < len(text) and _latin(text[end]):
            end += 1
    piece = text[start:end]
    if not any(char.isalnum() for char in piece):
        return []
    return [term for term in content_terms(piece) if not is_function_word(term)]


def _latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _alike(claim: Floats, passages: Sequence[Floats]) -> NDArray[np.float64]:
    means = np.stack([rows.mean(axis=0, dtype=np.float64) for rows in (claim, *passages)])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    return np.asarray(means[1:] @ means[0], dtype=np.float64)


def _stretched(cosines: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.asarray(np.clip((cosines - _FLOOR) / _SPAN, 0.0, 1.0), dtype=np.float64)


def _mean(values: NDArray[np.float64], empty: float) -> float:
    return round(float(values.mean()), 6) if len(values) else empty
