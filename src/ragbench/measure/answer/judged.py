"""What a judge's verdict says, with every way in which it can be no verdict told apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.measure.answer.given import answer_of, says_something, silence
from ragbench.measure.base import Finding, Outcome, failed, not_applicable
from ragbench.measure.case import Case
from ragbench.records.score import NO_REFERENCE, NO_RELEVANCY, ClaimState, ClaimVerdict, Status, Verdict

_BARE = re.compile(
    r"\W*(?:yes|no|true|false|correct|incorrect|是的?|不是|否|对的?|不对|错误?|正确|不正确|有的?|没有|会的?|不会|能|不能|可以|不可以)\W*",
    re.IGNORECASE,
)
FAITHFUL = 0.8
"""Share of supported claims from which on an answer counts as faithful."""

RELEVANT = 0.5
"""Relevancy from which on an answer counts as on topic."""

_DECIDED = (ClaimState.SUPPORTED, ClaimState.CONTRADICTED, ClaimState.NOT_ENOUGH)


def supported_share(claims: Sequence[ClaimVerdict]) -> Outcome:
    """Supported claims ÷ all claims, in [0, 1]: 1 of 2 gives 0.5, all "not enough" gives 0.

    No claims: n/a. A claim whose state is an error, or no known state: FAILED, for its share is unknown.
    """
    if not claims:
        return not_applicable("no claims")
    broken = [claim for claim in claims if claim.state not in _DECIDED]
    if broken:
        return failed(f"{len(broken)} of {len(claims)} claims without a usable verdict")
    supported = sum(claim.state == ClaimState.SUPPORTED for claim in claims)
    return Finding(Status.SCORED, supported / len(claims), f"{supported} of {len(claims)} claims supported")


def faithfulness(case: Case) -> Outcome:
    """Claims of the answer that its context supports ÷ claims. A refusal, a question back, or an answer without
    claims has none: n/a.

    Nothing supports a claim where the context is empty; a verdict that says so is FAILED. Source: RAGAS, faithfulness.
    """
    if not says_something(answer_of(case)):
        return not_applicable(silence(answer_of(case)))
    verdict = _verdict(case)
    if isinstance(verdict, Finding):
        return verdict
    context = case.trace.context if case.trace is not None else None
    empty = context is None or not any(block.text.strip() for block in context.blocks)
    if empty and any(claim.state == ClaimState.SUPPORTED for claim in verdict.claims):
        return failed("the judge found support in an empty context")
    return supported_share(verdict.claims)


def relevancy(case: Case) -> Outcome:
    """How well the answer addresses the question, in [0, 1], as the judge defines it; a refusal or a question back has
    none: n/a. So has an answer that the judge was not asked this of."""
    if not says_something(answer_of(case)):
        return not_applicable(silence(answer_of(case)))
    verdict = _verdict(case, of=NO_RELEVANCY)
    if isinstance(verdict, Finding):
        return verdict
    return verdict.relevancy if verdict.relevancy is not None else failed("the judge gave no relevancy")


def relevant_unfaithful(case: Case) -> Outcome:
    """1 for an answer that addresses the question (relevancy 0.5) and that its context does not support (faithfulness
    under 0.8), else 0: the wrong answer that reads like a right one.

    n/a where one of the two is, FAILED where one of them is.
    """
    found = [_finding(faithfulness(case)), _finding(relevancy(case))]
    for status in (Status.FAILED, Status.NOT_APPLICABLE):
        for one in found:
            if one.status is status:
                return one
    faithful, relevant = (one.value or 0.0 for one in found)
    return float(relevant >= RELEVANT and faithful < FAITHFUL)


def completeness(case: Case) -> Outcome:
    """Claims of the reference that the answer states ÷ claims of the reference; a refusal or a question back
    states none: 0.

    Finds answers that are right but incomplete. A reference that is a bare yes or no states nothing to look for: n/a.
    So is one that the judge was not asked about.
    Any other in which the judge finds no claim is FAILED.
    """
    if not says_something(answer_of(case)):
        return Finding(Status.SCORED, 0.0, silence(answer_of(case)))
    verdict = _verdict(case, of=NO_REFERENCE)
    if isinstance(verdict, Finding):
        return verdict
    return _reference_share(verdict.reference_in_answer, case.question.reference)


def context_recall(case: Case) -> Outcome:
    """Claims of the reference that the context supports ÷ claims of the reference. Source: RAGAS, context recall.

    Where the judge does not read refusals, a refusal is n/a, and so is a reference that is a bare yes or no or that the
    judge was not asked about; an empty context supports nothing: 0.
    """
    context = case.trace.context if case.trace is not None else None
    if context is None or not any(block.text.strip() for block in context.blocks):
        return Finding(Status.SCORED, 0.0, "empty context")
    if case.verdict is None and not says_something(answer_of(case)):
        return not_applicable(f"{silence(answer_of(case))}, and the judge reads no such reply")
    verdict = _verdict(case, of=NO_REFERENCE)
    if isinstance(verdict, Finding):
        return verdict
    return _reference_share(verdict.reference_in_context, case.question.reference)


def own_value(case: Case, measure: str) -> Outcome:
    """The number that the judge itself computes for `measure`, with its words; a question back, which no judge reads,
    has none: n/a. So has every answer of a judge that does not compute it. A verdict that failed whole is FAILED."""
    verdict = case.verdict
    if verdict is None:
        answer = answer_of(case)
        return failed("no verdict") if says_something(answer) else not_applicable(silence(answer))
    found = next((one for one in verdict.values if one.measure == measure), None)
    if found is not None:
        return Finding(found.status, found.value, found.why)
    if verdict.error is not None:
        return failed(f"judge: {verdict.error}")
    return not_applicable(f"the judge ({verdict.judge}) does not compute it")


def own_correctness(case: Case, measure: str) -> Outcome:
    """As `own_value`, but a question back is worth what a refusal is: 0, so that nobody wins by either."""
    if case.verdict is None and not says_something(answer_of(case)):
        return Finding(Status.SCORED, 0.0, silence(answer_of(case)))
    return own_value(case, measure)


def _finding(outcome: Outcome) -> Finding:
    return outcome if isinstance(outcome, Finding) else Finding(Status.SCORED, float(outcome))


def _verdict(case: Case, of: str = "") -> Verdict | Finding:
    """The verdict, where it says something; `of` is the part that is read, which the judge may not have been asked."""
    if case.verdict is None:
        return failed("no verdict")
    if of in case.verdict.omitted:
        return not_applicable(f"the judge ({case.verdict.judge}) was not asked")
    if case.verdict.error is not None:
        return failed(f"judge: {case.verdict.error}")
    return case.verdict


def _reference_share(claims: Sequence[ClaimVerdict], reference: str) -> Outcome:
    if claims:
        return supported_share(claims)
    if _BARE.fullmatch(reference):
        return not_applicable("the reference is a bare yes or no")
    return failed("the judge found no claims in the reference")
