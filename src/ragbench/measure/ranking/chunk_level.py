"""The classic forms over relevant chunks, for one frozen chunking: equal to trec_eval.

A chunk's grade is the number of evidence groups it satisfies alone. What counts as relevant, and how much of it there
is, changes with the chunking: figures of two chunkings must not be compared. The set-level forms can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.measure.ranking.average_precision import average_precision
from ragbench.measure.ranking.mrr import reciprocal_rank
from ragbench.measure.ranking.ndcg import ndcg
from ragbench.measure.retrieval.hit import hit
from ragbench.measure.retrieval.precision import precision
from ragbench.measure.retrieval.r_precision import r_precision
from ragbench.measure.retrieval.recall import recall
from ragbench.measure.view import RankedView
from ragbench.records.score import Status

View = Callable[[Case], RankedView]


def chunk_recall(view: View, case: Case, k: int) -> Outcome:
    """Relevant chunks among the first k ÷ all relevant chunks, in [0, 1]. Source: trec_eval `recall_k`."""
    return _scored(view, case, lambda gains, ideal: recall([int(gain > 0) for gain in gains], len(ideal), k))


def chunk_precision(view: View, case: Case, k: int) -> Outcome:
    """Relevant chunks among the first k ÷ k, in [0, 1]. Source: trec_eval `P_k`."""
    return _scored(view, case, lambda gains, _: precision(gains, k))


def chunk_hit(view: View, case: Case, k: int) -> Outcome:
    """1 when a relevant chunk is among the first k, else 0. Source: trec_eval `success_k`."""
    return _scored(view, case, lambda gains, _: hit(gains, k))


def chunk_r_precision(view: View, case: Case) -> Outcome:
    """Relevant chunks among the first R ÷ R, R being all relevant chunks, in [0, 1]. Source: trec_eval `Rprec`."""
    return _scored(view, case, lambda gains, ideal: r_precision([int(gain > 0) for gain in gains], len(ideal)))


def chunk_mrr(view: View, case: Case) -> Outcome:
    """1 ÷ rank of the first relevant chunk, in [0, 1]; none: 0. Source: trec_eval `recip_rank`."""
    return _scored(view, case, lambda gains, _: reciprocal_rank(gains))


def chunk_map(view: View, case: Case) -> Outcome:
    """Average precision, R being all relevant chunks, in [0, 1]. Source: trec_eval `map`."""
    return _scored(view, case, lambda gains, ideal: average_precision([int(gain > 0) for gain in gains], len(ideal)))


def chunk_ndcg(view: View, case: Case, k: int) -> Outcome:
    """nDCG with the grades as linear gain, in [0, 1]. Source: trec_eval `ndcg_cut_k`."""
    return _scored(view, case, lambda gains, ideal: ndcg(gains, ideal, k))


def _scored(view: View, case: Case, core: Callable[[Sequence[int], Sequence[int]], float]) -> Outcome:
    """0 where no chunk is relevant, as trec_eval has it for a judged topic; n/a where evidence is whole documents."""
    if case.evidence.by_document:
        return not_applicable("the evidence is whole documents")
    grades = case.grades
    if not grades:
        return Finding(Status.SCORED, 0.0, "no chunk satisfies any of its evidence alone")
    gains = [grades.get(number, 0) for number in view(case).numbers]
    return core(gains, sorted(grades.values(), reverse=True))
