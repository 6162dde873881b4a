"""Every cell of subjects × measures."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ragbench.evaluate.table import CODES, KINDS, ScoreBlock, ScoreTable, empty_block
from ragbench.measure.base import Finding, Measure
from ragbench.measure.case import Case, ChunkedCorpus, DocumentCase, VariantCase
from ragbench.records.score import Status, SubjectKind

AnyCase = Case | DocumentCase | VariantCase
_CODE = {status: code for code, status in enumerate(CODES)}


def evaluate(cases: Sequence[Case], corpus: ChunkedCorpus, measures: Sequence[Measure]) -> ScoreTable:
    """Score every case, every document and the variant with the measures that have them as subject.

    A measure that raises, or gives a value outside its bounds or not finite, is FAILED in that cell with its message;
    no cell is ever lost. Subjects keep their order, measures too.
    """
    questions = question_block([case.subject_id for case in cases], measures)
    for row, case in enumerate(cases):
        fill(questions, row, case)
    return with_corpus(questions, VariantCase(corpus, [case.query for case in cases]), measures)


def question_block(subjects: Sequence[str], measures: Sequence[Measure]) -> ScoreBlock:
    """The block of the questions, every cell FAILED until `fill` has seen its question."""
    return empty_block("question", subjects, _of_kind("question", measures))


def fill(block: ScoreBlock, row: int, case: AnyCase) -> None:
    """Score one subject: write its row of the block."""
    twins = block.twins if _unchanged(case) else {}
    findings: list[Finding] = []
    for column, measure in enumerate(block.measures):
        findings.append(findings[twins[column]] if column in twins else measure.find(case))
    block.values[row] = [finding.value for finding in findings]
    block.status[row] = [_CODE[finding.status] for finding in findings]
    for column, finding in enumerate(findings):
        if finding.evidence:
            block.notes[row, column] = sys.intern(finding.evidence)  # most say one of a few things
        if block.measures[column].judged and case.judge and finding.status is not Status.NOT_APPLICABLE:
            block.judges[row, column] = case.judge


def with_corpus(questions: ScoreBlock, variant: VariantCase, measures: Sequence[Measure]) -> ScoreTable:
    """The whole table: the filled block of the questions, and those of the documents and of the variant."""
    corpus = variant.corpus
    documents = [DocumentCase(document, corpus.by_document[key]) for key, document in corpus.documents.items()]
    cases: dict[SubjectKind, Sequence[AnyCase]] = {"document": documents, "variant": [variant]}
    blocks: dict[SubjectKind, ScoreBlock] = {"question": questions}
    for kind in KINDS:
        if kind in cases:
            subjects = [case.subject_id for case in cases[kind]]
            blocks[kind] = empty_block(kind, subjects, _of_kind(kind, measures))
            for row, case in enumerate(cases[kind]):
                fill(blocks[kind], row, case)
    return ScoreTable(blocks)


def _unchanged(case: AnyCase) -> bool:
    """Whether a question came through and its final ranking is the one before reranking, so that both layers agree."""
    if not isinstance(case, Case) or case.trace is None or case.trace.error is not None:
        return False
    return case.reranked is case.fused


def _of_kind(kind: SubjectKind, measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.subject == kind]
