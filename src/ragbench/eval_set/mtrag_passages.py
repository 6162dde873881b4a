"""Passages of an MT-RAG collection in BEIR form, and which of them are relevant to which task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbench.errors import DataError
from ragbench.eval_set.beir_passages import Passages
from ragbench.eval_set.draft import CorpusFile
from ragbench.eval_set.ledger import Ledger
from ragbench.trec.read import read_qrels

_WHAT = "a TSV of query-id, corpus-id, score"


@dataclass(frozen=True)
class Collection:
    """One collection of passages; `relevant` are ids of passages by task, `same` the documents of one text by document
    (only texts that several have)."""

    name: str
    passages: Passages
    relevant: Mapping[str, Sequence[str]]
    same: Mapping[str, tuple[str, ...]]

    def files(self) -> Iterator[CorpusFile]:
        """Its passages as files below a folder of its name."""
        for file in self.passages:
            yield CorpusFile(f"{self.name}/{file.name}", file.data)

    def twins(self, passage: str) -> tuple[str, ...]:
        """The documents that hold the text of a passage, its own first; a passage that is not there has a document that
        is not there either."""
        own = f"{self.name}/{self.passages.names.get(passage, passage)}"
        return (own, *(name for name in self.same.get(own, ()) if name != own))


def read_collection(folder: Path, ledger: Ledger) -> Collection:
    """The collection in `beir/<name>`; all qrels of `qrels/*.tsv` together.

    Raises:
        DataError: a file is missing, or a line of the qrels is none.
    """
    passages = Passages(folder / "corpus.jsonl", ledger)
    groups: dict[bytes, list[str]] = {}
    for file in passages:
        groups.setdefault(b" ".join(file.data.split()), []).append(f"{folder.name}/{file.name}")
    same = {name: tuple(group) for group in groups.values() if len(group) > 1 for name in group}
    return Collection(folder.name, passages, _relevant(folder / "qrels"), same)


def _relevant(folder: Path) -> dict[str, list[str]]:
    """Passages with a score above 0, by task; a task of 0 alone stays, without any."""
    found: dict[str, list[str]] = {}
    tables = sorted(folder.glob("*.tsv"))
    if not tables:
        raise DataError(str(folder), expected=_WHAT, found="no .tsv file")
    for path in tables:
        for task, grades in read_qrels(path).grades.items():
            own = found.setdefault(task, [])
            own += [passage for passage, grade in grades.items() if grade > 0 and passage not in own]
    return found
