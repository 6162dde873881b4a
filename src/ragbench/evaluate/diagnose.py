"""Which layer lost each question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragbench.eval_set.align import TAU
from ragbench.evaluate.losses import WHOLE, Loss, LostGroup, lost_groups
from ragbench.measure.answer.correctness import correctness_f1
from ragbench.measure.answer.given import asks_back, says_something
from ragbench.measure.answer.judged import FAITHFUL, RELEVANT, supported_share
from ragbench.measure.base import Finding
from ragbench.measure.case import Case
from ragbench.records.score import NO_REFERENCE, ClaimVerdict, Status, Verdict
from ragbench.records.trace import Answer, Trace

_ORDER = tuple(Loss)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisRules:
    """Where the cuts lie (a trace with cut-offs of its own is judged by those), and from which share on an
    answer counts as faithful, complete and on topic.

    `relevant`: the offline judge's relevancy is a probability; under one half an answer more likely belongs to another
    question. It is cautious: on development answers that were read, 15 of 16 called off topic were, of 66 that are
    (`docs/judge.md`); the others become `unused` or `incomplete`. `complete` asks for all of up to three claims of a
    reference, `faithful` lets one claim in five go; neither is fitted to anything. `overlapping` is the word overlap
    (F1) with the reference from which on an answer is `incomplete` and not `unused`, whatever the judge finds. Of a
    foreign run the chunks are not known (`chunks_known`), so that cutting is never blamed, nor, unless it says so,
    which answers refuse (`refusals_told`).
    """

    recall_k: int
    k: int
    faithful: float = FAITHFUL
    complete: float = 0.75
    relevant: float = RELEVANT
    overlapping: float = 0.3
    chunks_known: bool = True
    refusals_told: bool = True

    def cuts(self, trace: Trace | None) -> tuple[int, int]:
        """`recall_k` and `k` of a question: its trace's own, where it has some."""
        if trace is None:
            return self.recall_k, self.k
        return trace.recall_k or self.recall_k, trace.k or self.k


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What became of one question; `lost` lists the evidence that did not reach the context, also when all went
    well."""

    question_id: str
    category: str
    loss: Loss
    why: str = ""
    lost: tuple[LostGroup, ...] = ()


def diagnose(case: Case, rules: DiagnosisRules) -> Diagnosis:
    """Attribute one question to the first layer that lost it. The first rule that applies decides:

    1. `failed`: absent from the run, or its trace has an error.
    2. Asked back: `ok` where the question is underspecified, else `clarified`, whatever was retrieved.
       Unanswerable: `false_answer` when something is answered, else `ok`.
    3. No generator: the layer that lost evidence (rule 6), else `ok`.
    4. Answered, but without a verdict or with one that has an error in it: `unjudged`.
    5. Answered, faithful, on topic and complete: `ok`, whatever evidence is missing.
    6. Otherwise, where evidence is missing from the context, the earliest of `chunk_cut`, `query`, `not_recalled`,
       `ranked_out`, `packed_out` among the missing groups: those of which less than half is there, or, where there are
       none, those that are there in part only.
    7. All evidence whole in the context: `false_refusal` for a refusal, else `unfaithful`, `off_topic`, `unused`
       (nothing of the reference is stated, and the answer shares few words with it), `incomplete`, in this order.
    """
    loss, why, lost = _classify(case, rules)
    return Diagnosis(case.question.id, case.question.category, loss, why, tuple(lost))


def diagnose_all(cases: Sequence[Case], rules: DiagnosisRules) -> list[Diagnosis]:
    """A diagnosis for every case, in order."""
    return [diagnose(case, rules) for case in cases]


def tally(diagnoses: Iterable[Diagnosis]) -> dict[str, int]:
    """Questions by class, every class present, in the order of the layers; the counts sum to the number of
    questions."""
    counts = dict.fromkeys(_ORDER, 0)
    for one in diagnoses:
        counts[one.loss] += 1
    return {loss.value: n for loss, n in counts.items()}


def tally_by_category(diagnoses: Sequence[Diagnosis]) -> Mapping[str, dict[str, int]]:
    """`tally` for each category, categories sorted."""
    categories = sorted({one.category for one in diagnoses})
    return {name: tally(one for one in diagnoses if one.category == name) for name in categories}


def _classify(case: Case, rules: DiagnosisRules) -> tuple[Loss, str, list[LostGroup]]:
    trace = case.trace
    if trace is None or trace.error is not None:
        return Loss.FAILED, "absent from the run" if trace is None else str(trace.error), []
    answer = trace.answer
    if answer is not None and asks_back(answer):
        return _asked_back(case, rules)
    if not case.question.answerable:
        wrong = answer is not None and says_something(answer)
        if wrong and not rules.refusals_told:
            return Loss.UNJUDGED, "the run does not tell which answers refuse", []
        return (Loss.FALSE_ANSWER, "answered without evidence", []) if wrong else (Loss.OK, "", [])
    lost = _lost(case, rules)
    if answer is None:
        return (*_first(lost), lost) if lost else (Loss.OK, "", lost)
    fault = _fault(answer, case.verdict, correctness_f1(case), rules)
    if fault is None:
        return Loss.OK, "", lost
    if fault[0] is Loss.UNJUDGED:
        return (*fault, lost)
    partly = lost or _lost(case, rules, WHOLE)
    return (*_first(partly), partly) if partly else (*fault, lost)


def _asked_back(case: Case, rules: DiagnosisRules) -> tuple[Loss, str, list[LostGroup]]:
    if case.question.underspecified:
        return Loss.OK, "asked back, as it should", []
    return Loss.CLARIFIED, "asked back about a question that says what it wants", _lost(case, rules)


def _lost(case: Case, rules: DiagnosisRules, tau: float = TAU) -> list[LostGroup]:
    """By the question's own cut-offs, where its trace has some."""
    return lost_groups(case, *rules.cuts(case.trace), tau, rules.chunks_known)


def _first(lost: Sequence[LostGroup]) -> tuple[Loss, str]:
    first = min(lost, key=lambda group: _ORDER.index(group.loss))
    return first.loss, f"{first.group}: {first.why}"


def _fault(answer: Answer, verdict: Verdict | None, overlap: float, rules: DiagnosisRules) -> tuple[Loss, str] | None:
    """What is wrong with the answer to an answerable question, were all evidence in the context; None: nothing."""
    if not says_something(answer):
        return Loss.FALSE_REFUSAL, answer.reason or "blank answer"
    if verdict is None or verdict.error is not None:
        return Loss.UNJUDGED, "no verdict" if verdict is None else str(verdict.error)
    claims, reference = _share(verdict.claims), _share(verdict.reference_in_answer)
    if isinstance(claims, str) or isinstance(reference, str):
        return Loss.UNJUDGED, claims if isinstance(claims, str) else str(reference)
    if claims is None and reference is None and verdict.relevancy is None:
        return Loss.UNJUDGED, "the verdict says nothing"
    if claims is not None and claims < rules.faithful:
        return Loss.UNFAITHFUL, f"{claims:.0%} of the claims supported"
    if verdict.relevancy is not None and verdict.relevancy < rules.relevant:
        return Loss.OFF_TOPIC, f"relevancy {verdict.relevancy:.2f}"
    if reference is None:
        asked = NO_REFERENCE not in verdict.omitted
        why = "no reference answer to be complete against" if asked else "the judge was not asked about the reference"
        return Loss.UNJUDGED, why
    if reference < rules.complete:
        # A judge that finds nothing of the reference in an answer of mostly the same words has misread it.
        some = reference > 0 or overlap >= rules.overlapping
        found = f"{reference:.0%} of the reference stated by the judge, word overlap {overlap:.2f}"
        return Loss.INCOMPLETE if some else Loss.UNUSED, found
    return None


def _share(claims: tuple[ClaimVerdict, ...]) -> float | str | None:
    """Supported share; None without claims; the reason where a claim has no usable verdict."""
    finding = supported_share(claims)
    if not isinstance(finding, Finding):
        return finding
    return finding.evidence if finding.status is Status.FAILED else finding.value
