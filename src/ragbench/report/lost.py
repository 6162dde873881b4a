"""Which class each question of a run fell into: as stored, or diagnosed again from what the run holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ragbench.errors import RagbenchError
from ragbench.evaluate.diagnose import Diagnosis, DiagnosisRules, diagnose_all
from ragbench.evaluate.foreign import foreign_rules
from ragbench.measure.case import ChunkedCorpus, make_cases
from ragbench.records.document import Document
from ragbench.run_dir.foreign import foreign_facts
from ragbench.run_dir.read import RunDir
from ragbench.splitter.chunking import chunks_from_rows

TextOf = Callable[[str], str | None]
Lost = dict[str, tuple[str, str]]
"""`(class, why)` by question id."""


def outcomes(run: RunDir, text_of: TextOf) -> Lost:
    """The class of every question, and why.

    The stored class stands; a new diagnosis gives the reason where it comes to the same class, and the reason is empty
    where it does not or where a document's text is not at hand. Of a run that stores counts only the classes are those
    of the new diagnosis if they give the stored counts, else nothing: a list that contradicts the counts is never
    shown.
    """
    try:
        again = {one.question_id: (one.loss.value, one.why) for one in _again(run, text_of)}
    except (RagbenchError, KeyError, TypeError, ValueError):
        again = {}
    stored = run.summary.get("diagnosis_by_question")
    if isinstance(stored, Mapping) and stored:
        return {str(key): _with_reason(str(value), again.get(str(key))) for key, value in stored.items()}
    counts = Counter(loss for loss, _ in again.values())
    expected = {name: n for name, n in (run.summary.get("diagnosis") or {}).items() if n}
    return again if dict(counts) == expected else {}


def _with_reason(stored: str, again: tuple[str, str] | None) -> tuple[str, str]:
    return again if again is not None and again[0] == stored else (stored, "")


def _again(run: RunDir, text_of: TextOf) -> list[Diagnosis]:
    documents = {str(row["doc_id"]): _document(row, text_of) for row in run.documents()}
    chunks = chunks_from_rows(run.chunk_rows(), documents)
    corpus = ChunkedCorpus(documents, chunks, [0] * len(chunks))
    variant = run.summary.get("variant") or {}
    foreign = foreign_facts(run)
    if foreign is not None:
        rules = foreign_rules(foreign)
    else:
        rules = DiagnosisRules(recall_k=int(variant["recall_k"]), k=int(variant["k"]))
    cases = make_cases(list(run.questions.values()), list(run.traces()), corpus, list(run.verdicts().values()))
    return diagnose_all(cases, rules)


def _document(row: Mapping[str, Any], text_of: TextOf) -> Document:
    doc_id = str(row["doc_id"])
    text = text_of(doc_id)
    if text is None:
        raise KeyError(doc_id)
    return Document(doc_id, text, str(row.get("doc_type", "")), str(row.get("content_hash", "")))
