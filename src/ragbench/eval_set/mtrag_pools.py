"""Passages of MT-RAG that are at hand: BEIR corpora, and the documents of an evaluation in InspectorRAGet's format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.errors import DataError
from ragbench.eval_set.beir_passages import file_names, passage_text
from ragbench.eval_set.draft import CorpusFile
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import json_lines, read_json_file, row_id

_WHAT = "a folder with beir/<collection>/corpus.jsonl, or a JSON file with documents and the tasks that name them"


@dataclass(frozen=True)
class Pool:
    """The passages of one collection; `names` maps ids to documents, `same` a document to all of its text."""

    name: str
    files: tuple[CorpusFile, ...]
    names: Mapping[str, str]
    same: Mapping[str, tuple[str, ...]]

    def twins(self, passage: str) -> tuple[str, ...]:
        """The documents that hold the text of a passage, its own first."""
        own = self.names[passage]
        return (own, *(name for name in self.same[own] if name != own))


def read_pool(collection: str, sources: Sequence[Path], ledger: Ledger) -> Pool:
    """All passages of a collection in the sources, each id once: the first counts.

    Raises DataError for a source of another kind, and where no source has passages of the collection.
    """
    texts: dict[str, str] = {}
    for source in sources:
        for where, row, key in _rows(source, collection):
            name, text = row_id(row, key), passage_text(row)
            if name is None or not text.strip():
                ledger.add("unread", "a passage without id or text", where)
            elif name in texts:
                same = texts[name].split() == text.split()
                ledger.add("noted", f"in two pools{'' if same else ', with other words in the second'}: once", name)
            else:
                texts[name] = text
    if not texts:
        raise DataError(f"pools of {collection}", expected=_WHAT, found=f"no passage of {collection}")
    names = {name: f"{collection}/{file}" for name, file in file_names(list(texts)).items()}
    files = tuple(
        CorpusFile(names[name], text.replace("\x00", "").encode("utf-8", "replace")) for name, text in texts.items()
    )
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(" ".join(text.split()), []).append(names[name])
    return Pool(collection, files, names, {one: tuple(group) for group in groups.values() for one in group})


def _rows(source: Path, collection: str) -> Iterator[tuple[str, Any, str]]:
    """`(place, row, key of its id)` of each passage of a collection in one source."""
    corpus = source / "beir" / collection / "corpus.jsonl"
    if corpus.is_file():
        yield from ((where, row, "_id") for where, row in json_lines(corpus, _WHAT))
        return
    if source.is_dir():
        raise DataError(str(source), expected=_WHAT, found=f"no beir/{collection}/corpus.jsonl")
    found = read_json_file(source, _WHAT)
    documents, tasks = (found.get(key) if isinstance(found, dict) else None for key in ("documents", "tasks"))
    if not isinstance(documents, list) or not isinstance(tasks, list):
        raise DataError(str(source), expected=_WHAT, found="JSON without documents and tasks")
    wanted = {
        one.get("document_id")
        for task in tasks
        if isinstance(task, dict) and collection in str(task.get("Collection"))
        for one in task.get("contexts") or ()
        if isinstance(one, dict)
    }
    for number, row in enumerate(documents):
        if row_id(row, "document_id") in wanted:
            yield f"{source.name} document {number}", row, "document_id"
