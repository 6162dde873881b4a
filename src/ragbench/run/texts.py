"""Document texts of a finished run, read again from its corpus and checked by hash."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import RagbenchError
from ragbench.eval_set.source import CORPUS
from ragbench.run_dir.foreign import outside_documents
from ragbench.run_dir.read import RunDir


def run_texts(run: RunDir) -> Callable[[str], str | None]:
    """A function from document id to text; None for a document that is gone or is not the one the run was made on."""
    place = run.manifest["eval_set"]["path"]
    try:
        found = CorpusLoader().load(Path(place) / CORPUS).documents if place is not None else ()
        documents = {document.doc_id: document for document in found}
    except (RagbenchError, OSError):
        documents = {}
    documents |= outside_documents(run)
    hashes = {row["doc_id"]: row["content_hash"] for row in run.documents()}

    def text_of(doc_id: str) -> str | None:
        document = documents.get(doc_id)
        return document.text if document and document.content_hash == hashes.get(doc_id) else None

    return text_of
