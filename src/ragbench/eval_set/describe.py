"""Counts that describe an eval set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ragbench.records.document import Document
from ragbench.records.question import Question

_FACETS = ("category", "difficulty", "language", "split", "complexity")


def describe(questions: Sequence[Question], documents: Sequence[Document]) -> dict[str, Any]:
    """Plain-data description: documents by kind, characters, questions by facet, evidence shapes."""
    facets = {name: dict(sorted(Counter(str(getattr(q, name)) for q in questions).items())) for name in _FACETS}
    return {
        "documents": len(documents),
        "characters": sum(len(document.text) for document in documents),
        "by_type": dict(sorted(Counter(document.doc_type for document in documents).items())),
        "questions": len(questions),
        "answerable": sum(q.answerable for q in questions),
        "unanswerable": sum(not q.answerable for q in questions),
        **{f"by_{name}": counts for name, counts in facets.items()},
        "needing_two_or_more": sum(len(q.groups) >= 2 for q in questions),
        "across_documents": sum(_across(q) for q in questions),
        "follow_ups": sum(bool(q.history) for q in questions),
        "evidence_characters_mean": _mean([i.end - i.start for q in questions for g in q.groups for i in g.items]),
    }


def _across(question: Question) -> bool:
    """Whether no single document satisfies all groups."""
    documents = [{item.doc_id for item in group.items} for group in question.groups]
    return len(documents) >= 2 and not set.intersection(*documents)


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 1) if values else None
