"""A TREC run as lines of another system, on an eval set or on its judgements alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ragbench.core.fingerprint import fingerprint, text_hash
from ragbench.errors import DataError
from ragbench.eval_set.load import EvalSet
from ragbench.eval_set.lock import LockState
from ragbench.measure.ranking.document_level import GRADES
from ragbench.records.document import Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.run.foreign_rows import Context, ForeignRow
from ragbench.text.terminal import one_line
from ragbench.trec.read import Qrels, RunFile
from ragbench.trec.write import source_token, token

_KIND = "query"
"""Category of queries that nothing is known of but their id."""


def trec_rows(run: RunFile, path: Path, questions: Sequence[Question], documents: Iterable[str]) -> list[ForeignRow]:
    """A line for each query of the run that is among `questions`, its documents as trec_eval orders them, and an empty
    one for each unanswerable question that is not in the run: nothing was to be found.

    Ids may be written as columns (`trec.write`). Raises DataError where no query of the run is among them.
    """
    asked, named = _by_column(question.id for question in questions), _by_column(documents)
    rows = []
    for query, found in run.run.items():
        if query in asked:
            ordered = _ordered(found) if isinstance(found, dict) else [(doc, None) for doc in found]
            contexts = tuple(Context(doc=named.get(doc, doc), score=score) for doc, score in ordered)
            rows.append(ForeignRow(asked[query], f"query {one_line(query, 60)}", contexts))
    if not rows:
        found_one, wanted = one_line(next(iter(run.run), ""), 60), one_line(next(iter(asked), ""), 60)
        hint = "Ids must be equal character by character."
        raise DataError(str(path), expected=f"queries as '{wanted}'", found=f"none, but '{found_one}'", hint=hint)
    known = {row.question_id for row in rows}
    rows += [ForeignRow(one.id, one.id, ()) for one in questions if not one.answerable and one.id not in known]
    return rows


def qrels_set(qrels: Qrels, run: RunFile, path: Path) -> tuple[EvalSet, dict[str, Document]]:
    """Judged queries with a relevant document as questions of a set without texts, and its documents, of which an id is
    all that is known and stands for the text.

    The lock is that of the judgements, whatever their order. Raises DataError where none is of a relevant document.
    """
    listed = (doc for found in run.run.values() for doc in found)
    names = dict.fromkeys([*(doc for own in qrels.values() for doc in own), *listed])
    documents = {name: Document(name, name, "id", text_hash(name)) for name in sorted(names)}
    questions = tuple(_question(query, own) for query, own in sorted(qrels.items()) if any(g > 0 for g in own.values()))
    if not questions:
        raise DataError(str(path), expected="a query with a relevant document", found="none")
    lock = "sha256:" + fingerprint("qrels", sorted((query, sorted(own.items())) for query, own in qrels.items()))
    return EvalSet(path.stem, "qrels", Path(), questions, LockState(lock, frozen=True)), documents


def _question(query: str, grades: Mapping[str, int]) -> Question:
    relevant = {doc: grade for doc, grade in grades.items() if grade > 0}
    groups = tuple(
        EvidenceGroup(f"g{n}", (EvidenceItem(doc, 0, len(doc), whole=True),)) for n, doc in enumerate(relevant, 1)
    )
    metadata = {GRADES: relevant} if any(grade > 1 for grade in relevant.values()) else {}
    return Question(
        query, query, _KIND, language="unknown", answerable=True, split="test", groups=groups, metadata=metadata
    )


def _ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """By score in single precision, then by id, both descending."""
    with np.errstate(over="ignore"):
        return sorted(scores.items(), key=lambda pair: (np.float32(pair[1]), pair[0]), reverse=True)


def _by_column(names: Iterable[str]) -> dict[str, str]:
    """Names by every form in which they may stand in a column, the plain one first."""
    known = list(names)
    return {form(name): name for form in (token, source_token, str) for name in known}
