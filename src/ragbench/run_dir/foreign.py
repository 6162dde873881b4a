"""Runs of systems that are not ours: what their folder holds beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_jsonl, write_jsonl
from ragbench.records.document import Document
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

FOREIGN = "foreign"
"""Key of manifest, summary and configuration under which such a run says what it was made of."""


def foreign_facts(run: RunDir) -> Mapping[str, Any] | None:
    """What a foreign run was made of; None for a run of ours."""
    found = run.manifest.get(FOREIGN)
    return found if isinstance(found, Mapping) else None


def keep_outside(folder: Path, documents: Iterable[Document]) -> None:
    """Keep the texts that the run saw and its corpus does not hold."""
    rows = ({"doc_id": one.doc_id, "text": one.text, "content_hash": one.content_hash} for one in documents)
    write_jsonl(folder / layout.OUTSIDE, rows)


def outside_documents(run: RunDir) -> dict[str, Document]:
    """The documents that stand for them, by id; empty for a run of ours."""
    if foreign_facts(run) is None:
        return {}
    rows = read_jsonl(run.folder / layout.OUTSIDE)
    return {row["doc_id"]: Document(row["doc_id"], row["text"], "txt", row["content_hash"]) for row in rows}
