"""The rankings and the gold of a run as TREC files, so that other tools can check its figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragbench.eval_set.original_ids import read_original_ids
from ragbench.measure.base import Population
from ragbench.measure.case import Case
from ragbench.measure.ranking.document_level import document_grades
from ragbench.records.search import Ranking
from ragbench.run.rescore import StoredRun
from ragbench.trec.write import source_token, token, write_qrels, write_run

Unit = Literal["chunk", "document"]
Ids = Literal["original", "document"]
Layer = Literal["retrieval", "ranking"]
NOTHING = "#none"
"""Document of the only judgement, graded 0, of a question that no chunk satisfies alone: it must count 0, and tools
leave out what has no judgement. Ids of chunks end in a number."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: a ranking for each of `queries` questions with evidence. `changed` scores were lowered to keep
    the order, and `unsatisfied` questions have no relevant entry. `qrels` is the number of judgements. `ids` says
    whether documents have the ids of the source they were imported from (`original`) or their own names."""

    unit: Unit
    layer: Layer
    queries: int
    entries: int
    changed: int
    unsatisfied: int
    qrels: int
    ids: Ids = "document"


def default_unit(stored: StoredRun) -> Unit:
    """`document` where all evidence is whole documents, else `chunk`."""
    items = [item for question in stored.run.questions.values() for group in question.groups for item in group.items]
    return "document" if items and all(item.whole for item in items) else "chunk"


def export(
    stored: StoredRun,
    unit: Unit,
    layer: Layer,
    files: tuple[Path | None, Path | None],
    ids: Ids = "original",
) -> Exported:
    """Write the rankings of the answerable questions with evidence, and what is relevant to them, to `files`: the run
    and the qrels, None for neither.

    Chunks are graded by the groups they satisfy alone, documents by the grades of their set (1 where it has none). A
    question that failed before it was ranked counts 0 elsewhere. Ids become columns by `trec.write.token`; with `ids`
    `original`, documents of a set that keeps the ids of its source (`eval_set.original_ids`) are called by those, and
    ids become columns by `trec.write.source_token`, so that the source's own qrels fit.
    """
    run_file, qrels_file = files
    known = _known_ids(stored) if ids == "original" and unit == "document" else {}
    column = source_token if known else token
    cases = [case for case in stored.cases() if not Population.EVIDENCE.excludes(case.question)]
    written, changed = (0, 0)
    if run_file is not None:
        lists = (
            (case.subject_id, [(known.get(name, name), score) for name, score in _ranking(case, unit, layer)])
            for case in cases
        )
        written, changed = write_run(run_file, lists, stored.run.run_id, column)
    grades = {case.subject_id: _grades(case, unit) for case in cases}
    unsatisfied = sum(not own for own in grades.values())
    judged = {
        query: {known.get(doc, doc): grade for doc, grade in own.items()} or {NOTHING: 0}
        for query, own in grades.items()
    }
    rows = write_qrels(qrels_file, judged, column) if qrels_file is not None else 0
    named: Ids = "original" if known else "document"
    return Exported(unit, layer, len(cases), written, changed, unsatisfied, rows, named)


def _known_ids(stored: StoredRun) -> dict[str, str]:
    return read_original_ids(Path(stored.run.manifest["eval_set"]["path"] or ""))


def _ranking(case: Case, unit: Unit, layer: Layer) -> Iterator[tuple[str, float]]:
    """Distinct ids with the score of their best place."""
    trace = case.trace
    if trace is None:
        return
    ranking: Ranking = trace.fused if layer == "retrieval" else trace.reranked
    seen: set[str] = set()
    for hit in ranking:
        chunk = case.corpus.chunks[hit.chunk]
        name = chunk.chunk_id if unit == "chunk" else chunk.doc_id
        if name not in seen:
            seen.add(name)
            yield name, hit.score


def _grades(case: Case, unit: Unit) -> dict[str, int]:
    if unit == "document":
        return document_grades(case.question)
    return {case.corpus.chunks[number].chunk_id: grade for number, grade in case.grades.items()}
