"""Import of DRAGONBall (RAGEval): documents of model-written companies and courts, questions over several of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ragbench.errors import DataError
from ragbench.eval_set.doc_name import name_fault, shown
from ragbench.eval_set.draft import CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.dragonball_rows import question_of
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import need_file, read_json_file, read_json_lines, read_utf8

EVERY_PLACE = 8
DOCUMENTS = "dragonball_docs.jsonl"
_WHAT = f"a folder with {DOCUMENTS} and question files (JSON or JSON Lines), or these files"
_NAME_KEYS = ("company_name", "court_name", "hospital_patient_name")
_LIMITS = (
    "Documents, questions and answers were written by a model; templates repeat, so numbers and names decide.",
    "Nearly every question names the companies or courts it is about: finding the documents is easy, finding all "
    "sentences is not.",
    "A reference may be as short as a name or a date; where it stands several times each place counts.",
    "CC BY-NC-SA: for measuring only, not for anything that is sold or shipped.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Documents as Markdown with their name as title, and the questions of all files; each reference is a group.

    Chinese and English rows may be mixed; `request.language` keeps those of one language. A reference is looked for in
    the documents of the name it gives, and in all of its language when no document has that name.
    """
    tables, lines = _sources(request.sources)
    documents = list(_documents(lines, request.language, ledger))
    files = [_file(document) for document in documents]
    questions: list[DraftQuestion] = []
    for label, where, row in _rows(tables, ledger):
        found = question_of(row, where, documents)
        if isinstance(found, str):
            ledger.add("rejected", found, label)
        elif request.language in (None, found.language):
            questions.append(found)
    return Draft(
        title="Imported from DRAGONBall (RAGEval)",
        licence="The licence is that of the source: CC BY-NC-SA 4.0, non-commercial and share-alike.",
        method="Each document has its name as title. A reference is looked for word by word in the documents of the "
        f"name it gives; where it stands several times (at most {EVERY_PLACE}), every place is accepted. A reference "
        "in another wording is not guessed: its question is left out.",
        limits=_LIMITS,
        files=tuple(files),
        questions=tuple(questions),
        every_place=EVERY_PLACE,
    )


def _sources(sources: tuple[Path, ...]) -> tuple[list[tuple[Path, str]], Path]:
    """Question files with their names below the source, and the file of documents."""
    found: list[tuple[Path, str]] = []
    for source in sources:
        if source.is_dir():
            inside = sorted(path for path in source.rglob("*") if path.suffix in (".json", ".jsonl") and path.is_file())
            found += [(path, path.relative_to(source).as_posix()) for path in inside]
        else:
            found.append((need_file(source, _WHAT), source.name))
    lines = [path for path, _ in found if path.name == DOCUMENTS]
    tables = [(path, name) for path, name in found if path.name != DOCUMENTS]
    if len(lines) != 1 or not tables:
        there = f"{len(lines)} {DOCUMENTS} and {len(tables)} question files"
        raise DataError(", ".join(map(str, sources)), expected=_WHAT, found=there)
    return tables, lines[0]


def _documents(path: Path, language: str | None, ledger: Ledger) -> Iterator[dict[str, Any]]:
    """`{doc, title, text, language, domain, doc_id}` of each usable line."""
    seen: set[str] = set()
    for where, row in read_json_lines(path, read_utf8(path, _WHAT)):
        if not isinstance(row, dict) or not isinstance(row.get("content"), str) or "doc_id" not in row:
            ledger.add("unread", "a document that is no {doc_id, domain, language, content}", where)
            continue
        own = row.get("language")
        if language is not None and own != language:
            continue
        name = f"{row.get('domain', 'any')}/{own}/{row['doc_id']}.md".lower()
        fault = name_fault(name)
        if fault or name in seen:
            ledger.add("unread", "a document whose name cannot be used", f"{where}: {shown(name)} {fault or 'again'}")
            continue
        seen.add(name)
        title = next((str(row[key]) for key in _NAME_KEYS if row.get(key)), "")
        facts = {key: row.get(key) for key in ("domain", "language", "doc_id")}
        yield {"doc": name, "title": title, "text": row["content"], **facts}


def _file(document: Mapping[str, Any]) -> CorpusFile:
    front = {key: document[key] for key in ("title", "domain", "language", "doc_id")}
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=10_000)
    return CorpusFile.text(document["doc"], f"---\n{head}---\n{document['text']}")


def _rows(tables: list[tuple[Path, str]], ledger: Ledger) -> Iterator[tuple[str, str, Any]]:
    """`(row label, id, row)` of every row of every question file."""
    for path, name in tables:
        stem = name.rpartition(".")[0].replace("qra_multidoc/", "")
        if path.suffix == ".jsonl":
            for number, (where, row) in enumerate(read_json_lines(path, read_utf8(path, _WHAT))):
                yield where, f"{stem}/{number}", row
            continue
        value = read_json_file(path, _WHAT)
        parts = value if isinstance(value, dict) else {"": value}
        if not all(isinstance(rows, list) for rows in parts.values()):
            ledger.add("unread", "a JSON file without lists of questions", name)
            continue
        for part, rows in parts.items():
            kind = part.removeprefix("qa_").removeprefix("multi_document_")
            for number, row in enumerate(rows):
                own = "/".join(filter(None, (stem, kind, str(number))))
                yield own, own, row
