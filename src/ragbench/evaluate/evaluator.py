"""Every cell of subjects × measures."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ragbench.evaluate.filling import Filling
from ragbench.evaluate.table import CODES, KINDS, ScoreBlock, ScoreTable, empty_block
from ragbench.measure.base import Measure
from ragbench.measure.case import Case, DocumentCase, VariantCase
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.measure.gold import Gold
from ragbench.records.score import Status, SubjectKind

_CODE = {status: code for code, status in enumerate(CODES)}


def evaluate(cases: Sequence[Case], corpus: ChunkedCorpus, measures: Sequence[Measure]) -> ScoreTable:
    """Score every case, every document and the variant with the measures that have them as subject.

    A measure that raises, or gives a value outside its bounds or not finite, is FAILED in that cell with its message;
    no cell is ever lost. Subjects keep their order, measures too.
    """
    questions = question_block([case.subject_id for case in cases], measures)
    filling = Filling(questions)
    for row, case in enumerate(cases):
        filling.fill(row, case)
    gold = cases[0].gold if cases else Gold([], corpus)
    return with_corpus(questions, VariantCase(corpus, [case.query for case in cases]), gold, measures)


def question_block(subjects: Sequence[str], measures: Sequence[Measure]) -> ScoreBlock:
    """The block of the questions, every cell FAILED until `Filling` has seen its question."""
    return empty_block("question", subjects, _of_kind("question", measures))


def fill(block: ScoreBlock, row: int, case: DocumentCase | VariantCase) -> None:
    """Score one document or the variant: write its row of the block."""
    findings = [measure.find(case) for measure in block.measures]
    block.values[row] = [finding.value for finding in findings]
    block.status[row] = [_CODE[finding.status] for finding in findings]
    for column, finding in enumerate(findings):
        if finding.evidence:
            block.notes[row, column] = sys.intern(finding.evidence)  # most say one of a few things
        if block.measures[column].judged and case.judge and finding.status is not Status.NOT_APPLICABLE:
            block.judges[row, column] = case.judge


def with_corpus(questions: ScoreBlock, variant: VariantCase, gold: Gold, measures: Sequence[Measure]) -> ScoreTable:
    """The whole table: the filled block of the questions, and those of the documents and of the variant."""
    blocks: dict[SubjectKind, ScoreBlock] = {"question": questions}
    for kind in KINDS:
        if kind == "document":
            blocks[kind] = _documents(gold, _of_kind(kind, measures))
        elif kind == "variant":
            blocks[kind] = empty_block(kind, [variant.subject_id], _of_kind(kind, measures))
            fill(blocks[kind], 0, variant)
    return ScoreTable(blocks)


def _documents(gold: Gold, measures: Sequence[Measure]) -> ScoreBlock:
    """The block of the documents; variants of one chunk set share it."""
    names = tuple(measure.name for measure in measures)
    if names not in gold.documents:
        corpus = gold.corpus
        cases = [
            DocumentCase(document, corpus.by_document[key], similarity=corpus.similarity)
            for key, document in corpus.documents.items()
        ]
        block = empty_block("document", [case.subject_id for case in cases], measures)
        for row, case in enumerate(cases):
            fill(block, row, case)
        gold.documents[names] = block
    found: ScoreBlock = gold.documents[names]
    return found


def _of_kind(kind: SubjectKind, measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.subject == kind]
