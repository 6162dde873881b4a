"""Documents as plain data, for JSON Lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.core.fingerprint import text_hash
from ragbench.errors import DataError
from ragbench.records.document import Document, Heading


def to_row(document: Document) -> dict[str, Any]:
    """A document as a JSON-able dict; empty fields are left out. `from_row(to_row(d)) == d`."""
    row: dict[str, Any] = {
        "doc_id": document.doc_id,
        "doc_type": document.doc_type,
        "content_hash": document.content_hash,
        "source": document.source,
        "title": document.title,
        "metadata": dict(document.metadata),
        "outline": [[heading.start, heading.level, heading.title] for heading in document.outline],
        "pages": [list(page) for page in document.pages],
    }
    return {key: value for key, value in row.items() if value} | {"text": document.text}


def from_row(row: Mapping[str, Any]) -> Document:
    """The document of a row.

    Raises:
        DataError: a field is missing, or the text does not match its hash.
    """
    try:
        document = Document(
            doc_id=row["doc_id"],
            text=row["text"],
            doc_type=row["doc_type"],
            content_hash=row["content_hash"],
            source=row.get("source", ""),
            title=row.get("title", ""),
            metadata=row.get("metadata", {}),
            outline=tuple(Heading(*heading) for heading in row.get("outline", ())),
            pages=tuple((start, page) for start, page in row.get("pages", ())),
        )
    except KeyError as error:
        raise DataError(
            f"document row {row.get('doc_id', '?')}", expected=f"the field {error}", found="none"
        ) from error
    if text_hash(document.text) != document.content_hash:
        raise DataError(
            f"document {document.doc_id}", expected=f"text with hash {document.content_hash}", found="another text"
        )
    return document
