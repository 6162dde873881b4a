"""Every cell of subjects × measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragbench.evaluate.table import CODES, KINDS, Cell, ScoreBlock, ScoreTable
from ragbench.measure.base import Measure
from ragbench.measure.case import Case, ChunkedCorpus, DocumentCase, VariantCase
from ragbench.records.score import Status, SubjectKind

AnyCase = Case | DocumentCase | VariantCase
_CODE = {status: code for code, status in enumerate(CODES)}


def evaluate(cases: Sequence[Case], corpus: ChunkedCorpus, measures: Sequence[Measure]) -> ScoreTable:
    """Score every case, every document and the variant with the measures that have them as subject.

    A measure that raises, or gives a value outside its bounds or not finite, is FAILED in that cell with its
    message; no
    cell is ever lost. Subjects keep their order, measures too.
    """
    subjects: dict[SubjectKind, Sequence[AnyCase]] = {
        "question": cases,
        "document": [DocumentCase(document, corpus.by_document[key]) for key, document in corpus.documents.items()],
        "variant": [VariantCase(corpus, cases)],
    }
    return ScoreTable(
        {kind: _block(kind, subjects[kind], [m for m in measures if m.subject == kind]) for kind in KINDS}
    )


def _block(kind: SubjectKind, cases: Sequence[AnyCase], measures: Sequence[Measure]) -> ScoreBlock:
    values: list[list[float | None]] = []
    status: list[list[int]] = []
    notes: dict[Cell, str] = {}
    judges: dict[Cell, str] = {}
    for row, case in enumerate(cases):
        found = [measure.find(case) for measure in measures]
        values.append([finding.value for finding in found])
        status.append([_CODE[finding.status] for finding in found])
        for column, finding in enumerate(found):
            if finding.evidence:
                notes[row, column] = finding.evidence
            if measures[column].judged and case.judge and finding.status is not Status.NOT_APPLICABLE:
                judges[row, column] = case.judge
    shape = (len(cases), len(measures))
    return ScoreBlock(
        kind=kind,
        subjects=tuple(case.subject_id for case in cases),
        measures=tuple(measures),
        values=np.array(values, dtype=np.float64).reshape(shape),
        status=np.array(status, dtype=np.uint8).reshape(shape),
        notes=notes,
        judges=judges,
    )
