"""nDCG with graded documents, for sets whose evidence is whole documents (BEIR, TREC)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.measure.ranking.ndcg import ndcg
from ragbench.measure.view import RankedView
from ragbench.records.question import Question

View = Callable[[Case], RankedView]
GRADES = "grades"
"""Key of a question's metadata: the grades of its documents, where a set has any above 1."""


def document_grades(question: Question) -> dict[str, int]:
    """Grade of each document that holds evidence: that of the question's metadata, else 1."""
    given = question.metadata.get(GRADES)
    grades = given if isinstance(given, Mapping) else {}
    docs = dict.fromkeys(item.doc_id for group in question.groups for item in group.items)
    return {doc: int(grades.get(doc, 1)) for doc in docs}


def ranked_documents(case: Case, view: RankedView) -> list[str]:
    """Documents in order of their best chunk."""
    return list(dict.fromkeys(case.corpus.chunks[number].doc_id for number in view.numbers))


def doc_ndcg(view: View, case: Case, k: int) -> Outcome:
    """nDCG of documents at their best chunk, with their grades as linear gain, in [0, 1]. Source: trec_eval
    `ndcg_cut_k`. n/a where evidence is spans."""
    if not case.evidence.by_document:
        return not_applicable("only where the evidence is whole documents")
    grades = document_grades(case.question)
    gains = [grades.get(doc, 0) for doc in ranked_documents(case, view(case))]
    return ndcg(gains, sorted(grades.values(), reverse=True), k)
