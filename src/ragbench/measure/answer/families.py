"""The measures of answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragbench.measure.answer import citation, context, correctness, judged, refusal
from ragbench.measure.base import Outcome, Population, Reach
from ragbench.measure.case import Case
from ragbench.measure.family import Family

_answer = partial(Family, reach=Reach.ANSWER)
_verdict = partial(Family, reach=Reach.ANSWER, judged=True)
_loss = partial(Family, reach=Reach.ANSWER, higher_is_better=False, worst=1.0)


def families() -> list[Family]:
    """What a judge says, agreement with the reference, refusals, citations, and what was packed of the evidence."""
    return [*_judged(), *_ragas(), *_reference(), *_refusals(), *_citations(), *_contexts()]


def _judged() -> list[Family]:
    faithful = "claims of the answer the context supports ÷ claims"
    relevant = "how well the answer addresses the question, as the judge defines it"
    scored = "support score of the whole answer, as the offline judge computes it; asked for by name"
    dangerous = "1 when the answer addresses the question and its context does not support it"
    complete = "claims of the reference the answer states ÷ claims of the reference"
    recalled = "claims of the reference the context supports ÷ claims of the reference"
    with_reference = partial(_verdict, population=Population.REFERENCE)
    return [
        _verdict("answer/faithfulness", faithful, judged.faithfulness),
        _verdict("answer/relevancy", relevant, judged.relevancy),
        _loss("answer/relevant_unfaithful", dangerous, judged.relevant_unfaithful, judged=True),
        with_reference("answer/completeness", complete, judged.completeness),
        with_reference("answer/context_recall", recalled, judged.context_recall),
        _verdict("answer/support", scored, partial(judged.own_value, measure="answer/support")),
    ]


def _ragas() -> list[Family]:
    """Names of their own: what RAGAS computes is never the same figure as ours of a similar name."""
    faithful = "RAGAS: statements of the answer that follow from the context ÷ statements"
    relevant = "RAGAS: mean cosine of the question and questions written back from the answer; 0 where it is evasive"
    precise = "RAGAS: mean precision at the passages that help to reach the reference"
    recalled = "RAGAS: statements of the reference that the context bears out ÷ statements"
    correct = "RAGAS: F1 of the statements of answer and reference, each checked in the other"
    with_reference = partial(_verdict, population=Population.REFERENCE)
    prefix = "answer/ragas_"
    return [
        _verdict(f"{prefix}faithfulness", faithful, _own("faithfulness")),
        _verdict(f"{prefix}response_relevancy", relevant, _own("response_relevancy"), bounds=(-1.0, 1.0)),
        with_reference(f"{prefix}context_precision", precise, _own("context_precision")),
        with_reference(f"{prefix}context_recall", recalled, _own("context_recall")),
        with_reference(
            f"{prefix}factual_correctness",
            correct,
            partial(judged.own_correctness, measure=f"{prefix}factual_correctness"),
        ),
    ]


def _own(name: str) -> Callable[[Case], Outcome]:
    return partial(judged.own_value, measure=f"answer/ragas_{name}")


def _reference() -> list[Family]:
    overlap = "F1 with the reference: Chinese by character, English by word"
    equal = "1 when answer and reference are equal but for case, width and punctuation"
    longest = "longest common subsequence with the reference as F1 (ROUGE-L), Chinese by jieba's words"
    alike = "cosine of answer and reference by the variant's embedder"
    family = partial(_answer, population=Population.REFERENCE)
    return [
        family("answer/correctness_f1", overlap, correctness.correctness_f1),
        family("answer/exact_match", equal, correctness.exact_match),
        family("answer/correctness_rouge_l", longest, correctness.correctness_rouge_l),
        family("answer/correctness_semantic", alike, correctness.correctness_semantic, bounds=(-1.0, 1.0)),
    ]


def _refusals() -> list[Family]:
    accuracy = "1 when the question is answered exactly if it is answerable; a question back is right if underspecified"
    wrong = "1 when an unanswerable question is answered"
    refused = "1 when an answerable question is refused"
    given = "1 when an answerable question is answered, rightly or not"
    back = "1 when an underspecified question is answered with a question back"
    wrongly_back = "1 when a question that is not underspecified is answered with a question back"
    yes, no = Population.ANSWERABLE, Population.UNANSWERABLE
    return [
        _answer("answer/refusal_accuracy", accuracy, refusal.refusal_accuracy),
        _loss("answer/false_answer", wrong, refusal.false_answer, population=no),
        _loss("answer/false_refusal", refused, refusal.false_refusal, population=yes),
        _answer("answer/answered", given, refusal.answered, population=yes),
        _answer("answer/clarified", back, refusal.clarified, population=Population.UNDERSPECIFIED),
        _loss("answer/false_clarification", wrongly_back, refusal.false_clarification, population=Population.SPECIFIED),
    ]


def _citations() -> list[Family]:
    right = "citations that point at gold evidence ÷ citations"
    cited = "evidence groups the cited text satisfies ÷ all groups"
    gold = Population.EVIDENCE
    return [
        _answer("answer/citation_precision", right, citation.citation_precision, population=gold),
        _answer("answer/citation_recall", cited, citation.citation_recall, population=gold),
    ]


def _contexts() -> list[Family]:
    packed = "evidence groups the packed context satisfies ÷ all groups"
    whole = "evidence groups the packed context holds whole ÷ all groups"
    share = "characters of evidence in the context ÷ characters of the context"
    needed = "sentences of the context that touch evidence ÷ its sentences"
    lost = "evidence groups the chunks handed to the packer satisfy and the context does not ÷ all groups"
    edge = "distance of evidence from the nearer end of the context: 0 at an end, 1 in the middle"
    family = partial(Family, population=Population.EVIDENCE, reach=Reach.CONTEXT)
    bad = partial(family, higher_is_better=False, worst=1.0)
    return [
        family("answer/evidence_in_context", packed, citation.evidence_in_context),
        family("answer/evidence_in_context_full", whole, context.evidence_in_context_full),
        family("answer/evidence_share", share, context.evidence_share),
        family("answer/context_relevancy", needed, context.context_relevancy),
        bad("answer/evidence_dropped", lost, context.evidence_dropped),
        bad("answer/evidence_from_edge", edge, context.evidence_from_edge),
    ]
