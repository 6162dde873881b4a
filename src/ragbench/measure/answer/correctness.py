"""Agreement with the reference answer."""

from __future__ import annotations

from ragbench.measure.answer.given import answer_of, says_something
from ragbench.measure.answer.text import f1, rouge_l, units, words
from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import Case


def correctness_f1(case: Case) -> float:
    """F1 of the answer's units against the reference's (characters for Chinese, words for English), in [0, 1].

    A refusal of an answerable question scores 0, and so does a question back, so that nobody wins by either.
    Source: SQuAD, CMRC 2018.
    """
    answer = answer_of(case)
    return f1(units(answer.text), units(case.question.reference)) if says_something(answer) else 0.0


def exact_match(case: Case) -> float:
    """1 when answer and reference have the same units in the same order, else 0; a refusal is 0. Source: SQuAD."""
    answer = answer_of(case)
    return float(says_something(answer) and units(answer.text) == units(case.question.reference))


def correctness_rouge_l(case: Case) -> float:
    """ROUGE-L of the answer's words with the reference's (jieba's words for Chinese), in [0, 1]; a refusal is 0."""
    answer = answer_of(case)
    return rouge_l(words(answer.text), words(case.question.reference)) if says_something(answer) else 0.0


def correctness_semantic(case: Case) -> Outcome:
    """Cosine of answer and reference by the variant's embedder, in [-1, 1]; a refusal or a question back is 0.

    Cosines of two embedders are not compared: those of e5 rarely fall under 0.7, whatever the texts. Without an
    embedder: n/a.
    """
    likeness = case.corpus.likeness
    if likeness is None:
        return not_applicable("no embedder compared answer and reference")
    answer = answer_of(case)
    return likeness(answer.text, case.question.reference) if says_something(answer) else 0.0
