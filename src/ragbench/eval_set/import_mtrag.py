"""Import of MT-RAG and MTRAG-UN: conversations whose last turn is asked, on BEIR passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.errors import DataError
from ragbench.eval_set.draft import Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.mtrag_passages import Collection, read_collection
from ragbench.eval_set.mtrag_tasks import question_of, spoken
from ragbench.eval_set.source_file import need_folder, read_json_lines, read_utf8, text_of

_WHAT = "a folder with beir/<collection>/ and generation_tasks/*.jsonl, then rewrites (JSON Lines) if there are any"
_LIMITS = (
    "Evidence is whole passages: recall and ranking are of passages, and chunk measures do not apply.",
    "A published cut may hold only the passages that some task needs: figures are then far above those on the whole "
    "collection of 50 to 180 thousand passages.",
    "Most questions lean on the turns before them. Searched as typed they measure what retrieval loses without a "
    "rewrite.",
    "An underspecified question is unanswerable here: the right reply asks back.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Passages as documents `<collection>/<id>.txt` (as `beir` names them), tasks as questions with their history.

    `request.collection` keeps one collection. Every relevant passage of the qrels is a group, and a passage of the same
    text an alternative to it. Files behind the folder give `{_id, text}`: the question of a task in words that stand
    alone.

    Raises:
        DataError: the sources are other files, there is no such collection, or a line of its qrels is none.
    """
    folder = need_folder(request.sources[0], _WHAT)
    collections = [read_collection(one, ledger) for one in _chosen(folder, request.collection)]
    standalone = _rewrites(request.sources[1:], ledger)
    questions = tuple(_questions(request, collections, standalone, ledger))
    for name in standalone:
        ledger.add("unread", "a rewrite of no task", name)
    return Draft(
        title="Imported from MT-RAG",
        licence="The licence is that of the source (MT-RAG: Apache-2.0).",
        method="The last turn of a task is its question, the turns before it its history. Each passage is a document; "
        "the evidence of a question is all passages that the qrels give it. Of several question types the most "
        "specific one is the category; all are in the metadata.",
        limits=_LIMITS,
        files=tuple(file for one in collections for file in one.files()),
        questions=questions,
    )


def _chosen(folder: Path, wanted: str | None) -> list[Path]:
    """The folders of the collections, or of the one that is asked for."""
    place = need_folder(folder / "beir", _WHAT)
    found = sorted(path for path in place.iterdir() if (path / "corpus.jsonl").is_file())
    if not found:
        raise DataError(str(place), expected="a folder with corpus.jsonl for each collection", found="none")
    names = [path.name for path in found]
    if wanted is not None and wanted not in names:
        raise DataError(f"--collection {wanted}", expected=f"one of {', '.join(names)}", found="no such folder")
    return [path for path in found if wanted in (None, path.name)]


def _rewrites(sources: Sequence[Path], ledger: Ledger) -> dict[str, str]:
    """Questions that stand alone, by task."""
    found: dict[str, str] = {}
    for path in sources:
        for where, row in read_json_lines(path, read_utf8(path, _WHAT)):
            name, text = text_of(row, "_id"), text_of(row, "text")
            if name is None or not (text or "").strip() or name in found:
                ledger.add("unread", "a rewrite without id and text, or of a task that has one", where)
            else:
                found[name] = spoken(text or "")
    return found


def _questions(
    request: ImportRequest, collections: Sequence[Collection], standalone: dict[str, str], ledger: Ledger
) -> Iterator[DraftQuestion]:
    """Tasks of the collections in the order of their files; what is used of `standalone` is taken out of it."""
    place, wanted = need_folder(request.sources[0] / "generation_tasks", _WHAT), request.collection
    tables = sorted(place.glob("*.jsonl"))
    if not tables:
        raise DataError(str(place), expected="tasks in JSON Lines", found="no .jsonl file")
    asked: set[str] = set()
    for path in tables:
        for where, row in read_json_lines(path, read_utf8(path, _WHAT)):
            own = text_of(row, "Collection") or ""
            collection = next((one for one in collections if one.name in own), None)
            if collection is None and own and wanted is not None:
                continue  # of a collection that was not asked for
            name = text_of(row, "task_id") or where
            asked.add(name)
            if collection is None:
                ledger.add("rejected", "it names no collection of beir/", name)
                continue
            found = question_of(row, name, collection, standalone)
            if isinstance(found, str):
                ledger.add("rejected", found, name)
                continue
            _compare(row, found, collection, ledger)
            yield found
    for collection in collections:
        for name in collection.relevant:
            if name not in asked:
                ledger.add("unread", "qrels of no task", name)


def _compare(row: Mapping[str, Any], question: DraftQuestion, collection: Collection, ledger: Ledger) -> None:
    """Note where the passages shown to the generator are not those the qrels call relevant."""
    shown = {str(one.get("document_id")) for one in row.get("contexts") or () if isinstance(one, dict)}
    if not question.answerable and shown:
        ledger.add("noted", "passages are shown to a question that is not answerable: no evidence", question.id)
    elif question.answerable and shown != set(collection.relevant.get(question.id, ())):
        ledger.add("noted", "the passages shown are not those of the qrels: the qrels count", question.id)
    if question.answerable and any(len(collection.twins(name)) > 1 for name in shown):
        ledger.add("noted", "a passage of the same text counts as well", question.id)
