"""Words that the best chunks for a question have in common: pseudo-relevance feedback."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ragbench.sparse.analyser import VERSION as WORDS_VERSION
from ragbench.sparse.analyser import normalised
from ragbench.text.han_words import han_words
from ragbench.text.terms import STOP_WORDS, is_function_word, stem

__all__ = ["WORDS_VERSION", "feedback_terms"]
_PIECE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*")
_SHORTEST = {True: 2, False: 3}


def feedback_terms(question: str, passages: Sequence[str], best: int, n: int) -> list[str]:
    """At most `n` words of the first `best` passages that the question lacks, highest first, ties by first occurrence.

    score(t) = Σ_d tf(t, d) / |d| over the first passages d, times ln((N + 1) / (df(t) + 0.5)) over all N passages, so
    that what the whole list talks of anyway weighs little. Counted are dictionary words of at least two Han characters
    and Latin words of at least three letters, no function words, no numbers; words that only one of the first passages
    has are left out where `best` is more than one. Source: the frequency part of RM3 (Abdul-Jaleel et al., TREC 2004)
    with idf in place of the collection model.
    """
    texts = [_words(text) for text in passages]
    first = texts[:best]
    asked = {stem(word) for word in _words(question)}
    folded = normalised(question)
    df = Counter(word for text in texts for word in set(text))
    holding = Counter(word for text in first for word in set(text))
    scores: dict[str, float] = {}
    for text in first:
        for word, count in Counter(text).items():
            scores[word] = scores.get(word, 0.0) + count / len(text)
    least = 2 if len(first) > 1 else 1
    rated = {
        word: score * math.log((len(texts) + 1) / (df[word] + 0.5))
        for word, score in scores.items()
        if holding[word] >= least and stem(word) not in asked and word not in folded
    }
    ranked = sorted(rated, key=lambda word: -round(rated[word], 12))
    return [word for word in ranked if rated[word] > 0][:n]


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for piece in _PIECE.findall(normalised(text)):
        han = piece[0] >= "\u3400"
        found += [word for word in (han_words(piece) if han else [piece]) if len(word) >= _SHORTEST[han]]
    return tuple(word for word in found if word not in STOP_WORDS and not is_function_word(word))
