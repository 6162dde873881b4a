"""What a logistic fusion sees of the candidates of a question.

| feature | what it is, min–max scaled over the candidates |
|---|---|
| `first` | the first stage's score |
| `maxsim` | MaxSim over token vectors |
| `words` | share of the question's content terms that the text holds, weighted by idf over the candidates |
| `bigrams` | the same over pairs of neighbouring letters and digits, which forgives endings and word borders |

All are relative to the other candidates of the same question, so that a model does not depend on the scale of a
retriever or of an embedder. idf = ln(1 + (n + 0.5) / (df + 0.5)) over the n candidates.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragbench.core.scale import minmax
from ragbench.text.terms import content_terms

FEATURES = ("first", "maxsim", "words", "bigrams")
_NO_SIGNS = re.compile(r"[\W_]+")


def features(
    question: str, texts: Sequence[str], first: Sequence[float], maxsim: Sequence[float]
) -> dict[str, NDArray[np.float64]]:
    """Each feature of each text, [n] in [0, 1]; a feature that does not tell the candidates apart is 1 for all."""
    words = shares(dict.fromkeys(content_terms(question)), [_words(text) for text in texts])
    bigrams = shares(pairs_of(question), [_bigrams(text) for text in texts])
    return {name: minmax(values) for name, values in zip(FEATURES, (first, maxsim, words, bigrams), strict=True)}


def shares(wanted: Collection[str], held: Sequence[Collection[str]]) -> list[float]:
    """For each text the share, by idf weight, of the wanted terms that it holds; 0 where nothing is wanted."""
    frequency = Counter(term for terms in held for term in wanted if term in terms)
    weights = {term: math.log(1 + (len(held) + 0.5) / (frequency[term] + 0.5)) for term in wanted}
    total = math.fsum(weights.values())
    return [math.fsum(weights[term] for term in wanted if term in terms) / total if total else 0.0 for terms in held]


def pairs_of(text: str) -> dict[str, None]:
    """Neighbouring letters and digits of a text without signs and blanks, casefolded, each pair once, in order."""
    clean = _NO_SIGNS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return dict.fromkeys(a + b for a, b in pairwise(clean))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_terms(text)) if text else frozenset()


@lru_cache(maxsize=4096)
def _bigrams(text: str) -> frozenset[str]:
    return frozenset(pairs_of(text))
