"""Import of chunking_evaluation: long corpora, and a CSV of questions with exact reference spans."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from ragbench.corpus.scan import scan
from ragbench.errors import DataError
from ragbench.eval_set.doc_name import name_fault, shown
from ragbench.eval_set.draft import Claim, CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import need_file, need_folder, read_utf8

_QUESTIONS, _CORPORA = "questions_df.csv", "corpora"
_WHAT = f"a folder with {_CORPORA}/ and {_QUESTIONS}, or the corpora folder and the CSV"
_COLUMNS = ("question", "references", "corpus_id")
_KINDS = (".md", ".txt")
_MAX_CELL = 10_000_000
_LIMITS = (
    "Questions were written by a model that saw the text and filtered by similarity, so wording overlaps.",
    "A few very long documents: finding the document is no task here, only finding the place in it.",
    "Corpora are as published: a chat log that is a cut Python repr, tokenised WikiText (`@-@`, `<unk>`).",
    "Published figures are over five corpora and by another tokeniser: fewer corpora give other figures.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Corpora as documents `<corpus_id>.md`, rows as questions `<corpus_id>-<row>`; every reference is a group.

    Raises:
        DataError: the sources are other files, or the CSV has other columns.
    """
    corpora, table = _sources(request.sources)
    files = {file.name: file for file in _documents(corpora, ledger)}
    names = {PurePosixPath(name).with_suffix("").as_posix(): name for name in files}
    return Draft(
        title="Imported from chunking_evaluation",
        licence="The licence of the questions is MIT; each corpus has its own (see the source's README).",
        method="Each corpus is a document. A reference stands at its offset, or is moved to the only place of its "
        "text; a question with a reference that has neither is left out.",
        limits=_LIMITS,
        files=tuple(files.values()),
        questions=tuple(_questions(table, names, ledger)),
    )


def _sources(sources: tuple[Path, ...]) -> tuple[Path, Path]:
    if len(sources) == 1:
        folder = need_folder(sources[0], _WHAT)
        return need_folder(folder / _CORPORA, _WHAT), need_file(folder / _QUESTIONS, _WHAT)
    folders = [path for path in sources if path.is_dir()]
    tables = [path for path in sources if not path.is_dir()]
    if len(folders) != 1 or len(tables) != 1:
        raise DataError("sources", expected=_WHAT, found=f"{len(folders)} folders and {len(tables)} files")
    return folders[0], need_file(tables[0], _WHAT)


def _documents(folder: Path, ledger: Ledger) -> Iterator[CorpusFile]:
    found = scan(folder, _KINDS)
    for name, reason in (*found.failures, *((name, f"no corpus ({' or '.join(_KINDS)})") for name in found.skipped)):
        ledger.add("unread", reason, name)
    for name, path in found.files:
        try:
            yield CorpusFile.text(name, read_utf8(path, "a corpus"))
        except DataError as error:
            ledger.add("unread", "a corpus that cannot be read", str(error))


def _questions(table: Path, names: Mapping[str, str], ledger: Ledger) -> Iterator[DraftQuestion]:
    csv.field_size_limit(_MAX_CELL)
    reader = csv.DictReader(io.StringIO(read_utf8(table, _WHAT), newline=""), strict=True)
    missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        found = ", ".join(reader.fieldnames or ()) or "none"
        raise DataError(str(table), expected=f"the columns {', '.join(_COLUMNS)}", found=found)
    try:
        for number, row in enumerate(reader):
            question = _question(row, number, names, ledger)
            if question is not None:
                yield question
    except csv.Error as error:
        raise DataError(str(table), expected="CSV", found=f"{error} in line {reader.line_num}") from error


def _question(row: Mapping[str, Any], number: int, names: Mapping[str, str], ledger: Ledger) -> DraftQuestion | None:
    corpus, where = row["corpus_id"] or "", f"row {number + 1}"
    fault = name_fault(corpus)
    if fault:
        ledger.add("rejected", "its corpus_id cannot be a file name", f"{where}: {shown(corpus)} {fault}")
        return None
    if corpus not in names:
        ledger.add("rejected", "its corpus is not among the corpora", f"{where}: {shown(corpus)}")
        return None
    claims = _claims(row["references"], names[corpus])
    if isinstance(claims, str):
        ledger.add("rejected", claims, where)
        return None
    name = f"{corpus}-{number:04d}"
    category = "multi_hop" if len(claims) > 1 else "lookup"
    return DraftQuestion(id=name, question=row["question"] or "", claims=claims, category=category)


def _claims(references: str | None, name: str) -> tuple[Claim, ...] | str:
    """A claim for each reference, or what is wrong with them."""
    try:
        values = orjson.loads(references or "")
    except orjson.JSONDecodeError:
        return "its references are no JSON"
    if not isinstance(values, list) or not values:
        return "it has no references"
    claims = []
    for number, value in enumerate(values):
        if not isinstance(value, dict) or not isinstance(value.get("content"), str):
            return "a reference is no {content, start_index, end_index}"
        start = value.get("start_index")
        known = isinstance(start, int) and value.get("end_index") == start + len(value["content"])
        claims.append(Claim(group=f"g{number + 1}", docs=(name,), quote=value["content"], start=start if known else -1))
    return tuple(claims)
