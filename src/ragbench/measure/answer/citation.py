"""Whether the answer cites the gold evidence, and whether the evidence was there to cite."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.eval_set.align import Evidence, Placed
from ragbench.measure.answer.given import answer_of, says_something
from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.records.document import DocSpan
from ragbench.records.score import Status
from ragbench.records.trace import Citation, ContextBlock


def cited_spans(citations: Sequence[Citation], blocks: Sequence[ContextBlock]) -> list[DocSpan | None]:
    """Where each citation points: its own span, else that of its block; None for an id that is not in the context."""
    by_number = {block.citation: block for block in blocks}
    spans: list[DocSpan | None] = []
    for citation in citations:
        block = by_number.get(citation.block) if citation.block is not None else None
        if block is None:
            spans.append(None)
        elif citation.doc_id and citation.doc_start < citation.doc_end:
            spans.append(DocSpan(citation.doc_id, citation.doc_start, citation.doc_end))
        else:
            spans.append(DocSpan(block.doc_id, block.start, block.end))
    return spans


def citation_precision(case: Case) -> Outcome:
    """Citations that point at gold evidence ÷ citations, in [0, 1]; no citations: n/a.

    A citation is right when its span is relevant by itself (`Evidence.is_relevant`); one that points nowhere is wrong.
    """
    spans = _spans(case)
    if not spans:
        return not_applicable("nothing is cited")
    right = sum(span is not None and case.evidence.is_relevant(span) for span in spans)
    return Finding(Status.SCORED, right / len(spans), f"{right} of {len(spans)} citations point at evidence")


def citation_recall(case: Case) -> Outcome:
    """Evidence groups that the union of the cited spans satisfies ÷ all groups, in [0, 1]; nothing cited: 0."""
    return group_share(case.evidence, [span for span in _spans(case) if span is not None])


def evidence_in_context(case: Case) -> Outcome:
    """Evidence groups that the packed context satisfies ÷ all groups, in [0, 1]; an empty context: 0."""
    packed = case.packed
    return share_of(case.evidence, packed) if packed is not None else group_share(case.evidence, ())


def group_share(evidence: Evidence, spans: Sequence[Placed]) -> Finding:
    """Groups satisfied by the union of `spans` ÷ all groups; the evidence names those that are not."""
    return share_of(evidence, evidence.satisfied(spans))


def share_of(evidence: Evidence, satisfied: Sequence[bool]) -> Finding:
    """Groups satisfied ÷ all groups; the evidence names those that are not."""
    missing = [name for name, done in zip(evidence.group_names, satisfied) if not done]
    why = f"without {', '.join(missing)}" if missing else ""
    return Finding(Status.SCORED, sum(satisfied) / evidence.n_groups, why)


def _spans(case: Case) -> list[DocSpan | None]:
    answer = answer_of(case)
    context = case.trace.context if case.trace is not None else None
    blocks = context.blocks if context is not None else ()
    return cited_spans(answer.citations, blocks) if says_something(answer) else []
