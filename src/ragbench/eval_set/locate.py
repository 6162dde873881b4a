"""From validated rows to questions with evidence located exactly in the documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.errors import Problems
from ragbench.eval_set.rows import sound_items
from ragbench.records.document import Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question, Turn


def locate(
    rows: Sequence[Mapping[str, Any]], documents: Mapping[str, Document], problems: list[str] | None = None
) -> tuple[Question, ...]:
    """Questions of the rows, in order.

    Raises Problems listing every document that is not in the corpus, every quote that is not found, and every quote
    that is found more than once without offsets; with `problems` given they are added to it instead. A quote is never
    moved, shortened or guessed.
    """
    found: list[str] = []
    questions = [_question(row, documents, found) for row in rows]
    if problems is not None:
        problems += found
    elif found:
        raise Problems("evidence", found, "A quote must be copied from the document's text and stand there once.")
    return tuple(questions)


def check_evidence(rows: Sequence[Mapping[str, Any]], documents: Mapping[str, Document], problems: list[str]) -> None:
    """Add to `problems` what `locate` would say of the evidence of rows that have other faults."""
    for row in rows:
        for number, item in sound_items(row):
            found = _item(item, documents)
            if isinstance(found, str):
                problems.append(f"{row['id']} evidence[{number}]: {found}")


def _question(row: Mapping[str, Any], documents: Mapping[str, Document], problems: list[str]) -> Question:
    groups: dict[str, list[EvidenceItem]] = {}
    for number, item in enumerate(row.get("evidence") or []):
        found = _item(item, documents)
        if isinstance(found, str):
            problems.append(f"{row['id']} evidence[{number}]: {found}")
        else:
            groups.setdefault(str(item.get("group", f"g{number + 1}")), []).append(found)
    return Question(
        id=row["id"],
        question=row["question"],
        category=row.get("category") or "lookup",
        difficulty=row.get("difficulty") or "medium",
        language=row.get("language") or "en",
        answerable=row.get("answerable", True),
        split=row.get("split") or "test",
        groups=tuple(EvidenceGroup(name, tuple(items)) for name, items in groups.items()),
        reference=row.get("reference") or "",
        complexity=row.get("complexity"),
        standalone=row.get("standalone"),
        history=tuple(Turn(turn["role"], turn["content"]) for turn in row.get("history") or []),
        filter=row.get("filter"),
        principal=row.get("principal"),
        gold_sql=row.get("gold_sql"),
        metadata=row.get("metadata") or {},
    )


def _item(item: Mapping[str, Any], documents: Mapping[str, Document]) -> EvidenceItem | str:
    document = documents.get(item["doc"])
    if document is None:
        return f"document {item['doc']!r} is not in the corpus"
    if item.get("whole"):
        return EvidenceItem(document.doc_id, 0, len(document.text), whole=True)
    quote, start, end = item.get("quote"), item.get("start"), item.get("end")
    if start is not None and end is not None:
        if end > len(document.text):
            return f"end {end} lies behind the text of {document.doc_id} ({len(document.text)} characters)"
        held = document.text[start:end]
        if quote is not None and held != quote:
            return f"{document.doc_id}[{start}:{end}] holds {_short(held)}, not the quote {_short(quote)}"
        return EvidenceItem(document.doc_id, start, end, quote=held)
    assert isinstance(quote, str)
    return _find(quote, document)


def _find(quote: str, document: Document) -> EvidenceItem | str:
    at = document.text.find(quote)
    if at < 0:
        return f"{document.doc_id} does not hold {_short(quote)}{_near_hint(quote, document.text)}"
    if document.text.find(quote, at + 1) >= 0:
        return f"{document.doc_id} holds {_short(quote)} more than once; lengthen the quote or give start and end"
    return EvidenceItem(document.doc_id, at, at + len(quote), quote=quote)


def _near_hint(quote: str, text: str) -> str:
    pattern = r"\s*".join(re.escape(part) for part in re.sub(r"\s+", "", quote)[:400])
    found = re.search(pattern, text)
    if not found:
        return ""
    place = f'"start": {found.start()}, "end": {found.end()}'
    return f" (but for white space it stands at {found.start()}:{found.end()}; give {place} instead of the quote)"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= 60 else flat[:57] + '…'}”"
