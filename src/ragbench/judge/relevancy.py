"""Offline answer relevancy: does the answer speak of what was asked."""

from __future__ import annotations

from ragbench.core.workers import TextEmbedder
from ragbench.text.terms import content_terms

_FLOOR, _SPAN = 0.75, 0.2


def offline_relevancy(question: str, answer: str, embedder: TextEmbedder | None) -> float | None:
    """In [0, 1]; None where question or answer has no words.

    Mean of the share of the question's content terms in the answer (its focus) and the cosine of question and
    answer, with [0.75, 0.95] mapped to [0, 1] since cosines of the embedder crowd there; without an embedder the
    focus alone. Not the relevancy of RAGAS, which asks a language model to write the question back.
    """
    wanted, held = set(content_terms(question)), set(content_terms(answer))
    if not wanted or not held:
        return None
    focus = len(wanted & held) / len(wanted)
    if embedder is None:
        return round(focus, 6)
    cosine = float(embedder.embed_queries([question])[0] @ embedder.embed_queries([answer])[0])
    return round((focus + min(1.0, max(0.0, (cosine - _FLOOR) / _SPAN))) / 2, 6)
