"""A judge put to labelled answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ragbench.agreement.records import LabelledAnswer, Outcome
from ragbench.judge.answer_support import SUPPORT
from ragbench.judge.base import OpenJudge
from ragbench.records.question import Question
from ragbench.records.score import ClaimState, ClaimVerdict, Verdict
from ragbench.records.trace import Answer, ContextBlock, PackedContext

Report = Callable[[int, int], None]


def judged(judge: OpenJudge, answers: Sequence[LabelledAnswer], threads: int, report: Report) -> list[Outcome]:
    """What the judge says of each answer, in order. `threads` above 1 only for a judge that they may share."""
    found: list[Outcome] = []
    with ThreadPoolExecutor(max(1, threads), thread_name_prefix="judge") as pool:
        try:
            for outcome in pool.map(lambda one: outcome_of(judge, one), answers):
                found.append(outcome)
                report(len(found), len(answers))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return found


def outcome_of(judge: OpenJudge, one: LabelledAnswer) -> Outcome:
    """What the judge says of one answer. An answer is handed over as text, also where it is a refusal: whether that is
    recognised is part of what is measured."""
    blocks = tuple(
        ContextBlock(number, f"passage-{number}", 0, len(text), (), text, 0)
        for number, text in enumerate(one.passages, start=1)
    )
    question = Question(one.id, one.question, reference=one.reference)
    try:
        verdict = judge.judge(question, PackedContext(blocks), Answer(one.answer))
    except Exception as error:  # whatever a judge raises is an answer that it failed at, and is counted as one
        return Outcome(error=" ".join(f"{type(error).__name__}: {error}".split()))
    return _outcome(one, verdict)


def _outcome(one: LabelledAnswer, verdict: Verdict) -> Outcome:
    if verdict.error:
        return Outcome(error=verdict.error)
    claims = verdict.claims
    if any(claim.state is ClaimState.ERROR for claim in claims):
        return Outcome(claims=len(claims), error="a claim without a state")
    share = _share(claims)
    return Outcome(
        claims=len(claims),
        share=share,
        score=_score(verdict, share),
        stated=_share(verdict.reference_in_answer),
        relevancy=verdict.relevancy,
        parts=tuple(_part(claims, start, end) for start, end, _ in one.parts),
    )


def _score(verdict: Verdict, share: float | None) -> float | None:
    """The support score of the whole answer, else the least of its claims, else their share."""
    own = next((one.value for one in verdict.values if one.measure == SUPPORT), None)
    if own is not None:
        return own
    scores = [claim.score for claim in verdict.claims if claim.score is not None]
    return min(scores) if scores and len(scores) == len(verdict.claims) else share


def _share(claims: Sequence[ClaimVerdict]) -> float | None:
    if not claims or any(claim.state is ClaimState.ERROR for claim in claims):
        return None
    return sum(claim.state is ClaimState.SUPPORTED for claim in claims) / len(claims)


def _part(claims: Sequence[ClaimVerdict], start: int, end: int) -> bool | None:
    """A claim belongs to the part that it begins in."""
    inside = [claim.state is ClaimState.SUPPORTED for claim in claims if start <= claim.start < end]
    return all(inside) if inside else None
