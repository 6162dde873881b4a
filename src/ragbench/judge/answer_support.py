"""The support score of a whole answer: a logistic model over what its claims and its words say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from ragbench.judge.evidence import Evidence
from ragbench.judge.support import AnswerModel
from ragbench.records.score import ClaimVerdict, JudgedValue, Status
from ragbench.text.terms import content_terms

ANSWER_SIGNALS = ("words_covered", "weakest_claims")
BY_VECTORS = (*ANSWER_SIGNALS, "meaning_covered")
"""With token vectors."""

SUPPORT = "answer/support"
"""The measure that shows it."""


def answer_signals(
    text: str, claims: Sequence[ClaimVerdict], evidence: Evidence, soft: Sequence[float | None] = ()
) -> Mapping[str, float] | None:
    """Features of an answer, each in [0, 1]; None for one without claims.

    `words_covered`: share of its different content terms that stand in the passages, which is what word overlap is;
    `weakest_claims`: mean support score of the weakest third of its claims, one at least; `meaning_covered`: where
    `soft` says how much of each claim the context says in the same or like words, its mean, each claim weighing as many
    as it has content terms.
    """
    if not claims:
        return None
    words = set(content_terms(text))
    scores = sorted(claim.score or 0.0 for claim in claims)
    values = {
        "words_covered": len(words & evidence.terms) / len(words) if words else 0.0,
        "weakest_claims": fmean(scores[: max(1, len(scores) // 3)]),
    }
    told = [one for one in soft if one is not None]
    if told and len(told) == len(claims):
        sizes = [len(content_terms(claim.claim)) for claim in claims]
        values["meaning_covered"] = fmean(told, sizes)
    return values


def answer_support(
    text: str,
    claims: Sequence[ClaimVerdict],
    evidence: Evidence,
    model: AnswerModel,
    soft: Sequence[float | None] = (),
) -> JudgedValue:
    """The support score of an answer in [0, 1]; not applicable to one without claims. `soft` as in `answer_signals`."""
    values = answer_signals(text, claims, evidence, soft)
    if values is None:
        return JudgedValue(SUPPORT, Status.NOT_APPLICABLE, None, "no claims")
    told = f"words covered {values['words_covered']:.2f}, weakest claims {values['weakest_claims']:.2f}"
    if "meaning_covered" in values:
        told += f", meaning covered {values['meaning_covered']:.2f}"
    return JudgedValue(SUPPORT, Status.SCORED, model.score(values), told)
