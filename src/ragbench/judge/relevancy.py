"""Offline answer relevancy: does the answer speak of what was asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from ragbench.core.codec import loads
from ragbench.core.workers import Floats, TextEmbedder
from ragbench.judge.claims import split_claims
from ragbench.text.language import answers_in_chinese
from ragbench.text.terms import content_terms

_LEAST_SPREAD = 1e-3


class Relevancy:
    """The probability that the claims of an answer belong to its question and not to another of the same corpus: a
    logistic function of one likeness, fitted on development questions with their own reference and with another's
    (`relevancy_model.json`). Not the relevancy of RAGAS, which asks a language model to write the question back.
    """

    def __init__(self, embedder: TextEmbedder | None) -> None:
        self._embedder = embedder
        self._anchors: dict[str, Floats] = {}

    def of(self, question: str, answer: str) -> float | None:
        """In [0, 1], rounded to six digits; 0 for an answer that claims nothing (a quoted question, a citation mark);
        None where question or answer has no words."""
        if not content_terms(question) or not content_terms(answer):
            return None
        claimed = " ".join(claim.text for claim in split_claims(answer))
        if not claimed:
            return 0.0
        model = relevancy_model()["words" if self._embedder is None else "cosine"]
        return probability(self.likeness(question, claimed), model)

    def likeness(self, question: str, claimed: str) -> float:
        """With an embedder the cosine of question and claims as symmetric normalisation has it (S-norm, Kenny 2010):
        the mean of its standard scores among the cosines of each of the two with questions of general kind in the
        language of the question, so that it means the same for every language and embedder. Without one the share of
        the question's content terms in the claims, in [0, 1].
        """
        if self._embedder is None:
            wanted = set(content_terms(question))
            return len(wanted & set(content_terms(claimed))) / len(wanted)
        anchors = self._questions("zh" if answers_in_chinese(question) else "en", self._embedder)
        asked, said = self._embedder.embed_queries([question])[0], self._embedder.embed_queries([claimed])[0]
        cosine = float(asked @ said)
        return (_standard(cosine, anchors @ asked) + _standard(cosine, anchors @ said)) / 2

    def _questions(self, language: str, embedder: TextEmbedder) -> Floats:
        if language not in self._anchors:
            self._anchors[language] = embedder.embed_queries(relevancy_model()["questions"][language])
        return self._anchors[language]


def probability(likeness: float, model: Mapping[str, float]) -> float:
    """`1 / (1 + exp(-(bias + weight · likeness)))`, rounded to six digits."""
    total = model["bias"] + model["weight"] * likeness
    return round(1 / (1 + math.exp(-max(-60.0, min(60.0, total)))), 6)


@cache
def relevancy_model() -> Mapping[str, Any]:
    """The shipped numbers and questions of general kind."""
    model: dict[str, Any] = loads((files("ragbench.judge") / "relevancy_model.json").read_bytes())
    return model


def _standard(value: float, among: Floats) -> float:
    return (value - float(np.mean(among))) / max(float(np.std(among)), _LEAST_SPREAD)
