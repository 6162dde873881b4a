"""Import of BEIR folders: passages become documents, relevant passages become evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragbench.errors import DataError
from ragbench.eval_set.beir_passages import WHAT, Passages
from ragbench.eval_set.draft import Claim, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import json_lines, need_folder, row_id, text_of
from ragbench.trec.read import QrelsFile, read_qrels

_SPLITS = {"test": "test", "dev": "dev", "val": "dev", "valid": "dev", "validation": "dev", "train": "dev"}
_FIRST = ("test", "dev")
_LIMITS = (
    "Evidence is whole passages: recall and ranking are of documents, and chunk measures do not apply.",
    "What nobody judged counts as not relevant: a retriever unlike those that were pooled looks worse than it is.",
    "There are no reference answers and no unanswerable questions.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Passages as documents (title, blank line, text), judged queries as questions; each relevant passage is a group.

    Qrels are those given behind the folder, else all of `qrels/`; `test` is the split `test`, `dev` and `train` are
    `dev`. Grades above 1 go into the metadata of the question, for `doc_ndcg`. The corpus is read line by line, as
    often as it is needed, and never held.

    Raises:
        DataError: a file is missing, or a line of the qrels is none.
    """
    folder = need_folder(request.sources[0], WHAT)
    passages = Passages(folder / "corpus.jsonl", ledger)
    judged = _judged(_tables(folder, request.sources[1:]), ledger)
    return Draft(
        title=f"Imported from {folder.name} (BEIR)",
        licence="The licence is that of the source.",
        method="Each passage is a document whose file name is its id, with %XX for what file names may not hold. The "
        "evidence of a query is every passage graded above 0.",
        limits=_LIMITS,
        files=passages,
        questions=tuple(_questions(folder / "queries.jsonl", judged, passages.names, ledger)),
        original_ids={doc: name for name, doc in passages.names.items()},
    )


def _tables(folder: Path, given: tuple[Path, ...]) -> list[Path]:
    """The files of judgements: test, dev, then the others by name."""
    found = list(given) or sorted((folder / "qrels").glob("*.tsv"))
    if not found:
        raise DataError(str(folder / "qrels"), expected=WHAT, found="no .tsv file")
    return sorted(found, key=lambda path: _FIRST.index(path.stem) if path.stem in _FIRST else len(_FIRST))


def _judged(tables: list[Path], ledger: Ledger) -> dict[str, tuple[str | None, Mapping[str, int]]]:
    """Split and grades of each query, from the first file that judges it."""
    found: dict[str, tuple[str | None, Mapping[str, int]]] = {}
    for path in tables:
        table: QrelsFile = read_qrels(path)
        for query, doc in table.conflicts:
            ledger.add("noted", "a passage is judged twice and differently: the first grade counts", f"{query} {doc}")
        for query, grades in table.grades.items():
            if query in found:
                ledger.add("noted", f"judged in several files: {path.name} is left out", query)
            else:
                found[query] = (_SPLITS.get(path.stem), grades)
    return found


def _questions(
    path: Path,
    judged: dict[str, tuple[str | None, Mapping[str, int]]],
    names: Mapping[str, str],
    ledger: Ledger,
) -> Iterator[DraftQuestion]:
    """The judged queries in the order of their file."""
    left = dict(judged)
    for where, row in json_lines(path, WHAT):
        name, text = row_id(row), text_of(row, "text")
        if name is None or text is None:
            ledger.add("rejected", "a query without _id or text", where)
        elif name not in judged:
            ledger.add("rejected", "no qrels judge it", name)
        elif name not in left:
            ledger.add("rejected", "the id was used before", name)
        else:
            split, grades = left.pop(name)
            relevant = {doc: grade for doc, grade in grades.items() if grade > 0}
            if relevant:
                yield _question(name, text, split, {names.get(doc, ""): grade for doc, grade in relevant.items()})
            else:
                ledger.add("rejected", "no passage is relevant to it", name)
    for name in left:
        ledger.add("rejected", "the qrels judge it, but it is not in queries.jsonl", name)


def _question(name: str, text: str, split: str | None, grades: Mapping[str, int]) -> DraftQuestion:
    claims = tuple(Claim(group=f"g{n}", docs=(doc,), whole=True) for n, doc in enumerate(grades, 1))
    graded = any(grade > 1 for grade in grades.values())
    metadata: dict[str, Any] = {"grades": dict(grades)} if graded else {}
    return DraftQuestion(id=name, question=text, claims=claims, split=split, metadata=metadata)
