"""Which sentences a text turns on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ragbench.text.sentences import Sentence, sentences
from ragbench.text.terms import content_terms

_PREFERRED = (("prose", "item"), ("row", "code"))


def centrality(texts: Sequence[str]) -> list[float]:
    """Mean cosine of each text with the others, shape [n], in [0, 1]; 0 where there is no other or no shared term.

    Vectors are term counts × idf of `content_terms`, idf = ln((1 + n) / (1 + texts with the term)) + 1, of unit length:
    the degree centrality of Erkan and Radev (2004), LexRank, without its graph. Linear in the number of terms: the sum
    over the others is the sum of all less the text's own.
    """
    counts = [Counter(content_terms(text)) for text in texts]
    holding = Counter(term for count in counts for term in count)
    idf = {term: math.log((1 + len(texts)) / (1 + n)) + 1 for term, n in holding.items()}
    vectors = [_unit({term: n * idf[term] for term, n in count.items()}) for count in counts]
    total: dict[str, float] = {}
    for vector in vectors:
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + weight
    others = max(len(texts) - 1, 1)
    return [
        # Rounded, so that equal texts are equal whatever the order of the sum.
        round(sum(weight * (total[term] - weight) for term, weight in vector.items()) / others, 12)
        for vector in vectors
    ]


def central_sentences(text: str) -> list[str]:
    """The sentences of a text from the most central on, each on one line and without a list marker; equals in order.

    Headings are left out, table rows and code too where there is prose or a list. A text without any gives an empty
    list.
    """
    return [_plain(text, one) for one in most_central(text)]


def most_central(text: str) -> list[Sentence]:
    """The same as sentences with their places, list markers included."""
    found = sentences(text)
    for kinds in _PREFERRED:
        chosen = [one for one in found if one.kind in kinds]
        if chosen:
            scores = centrality([_plain(text, one) for one in chosen])
            return [chosen[number] for number in sorted(range(len(chosen)), key=lambda number: -scores[number])]
    return []


def _plain(text: str, sentence: Sentence) -> str:
    return " ".join(text[sentence.start + sentence.marker : sentence.end].split())


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {term: weight / length for term, weight in vector.items()} if length else {}
