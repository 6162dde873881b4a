"""What an eval set consists of, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ragbench.eval_set.distribution import lengths
from ragbench.eval_set.leakage import leakage
from ragbench.eval_set.repeats import near_questions, same_documents, same_questions
from ragbench.records.document import Document
from ragbench.records.question import DIFFICULTIES, Question
from ragbench.text.language import language_of

_FACETS = ("category", "difficulty", "language", "split", "complexity")


def describe(questions: Sequence[Question], documents: Sequence[Document]) -> dict[str, Any]:
    """Plain-data description; both may be empty.

    Lengths are characters: `{n, min, median, p90, max}`, None without any. `category_by_difficulty` is a table of
    counts. `evidence` counts groups, items and documents a question needs; quote lengths leave whole documents out.
    `repeats` lists ids of equal and nearly equal questions and of documents with equal text. `leakage` is described in
    `leakage.leakage`.
    """
    facets = {name: dict(sorted(Counter(str(getattr(q, name)) for q in questions).items())) for name in _FACETS}
    answerable = sum(q.answerable for q in questions)
    return {
        "documents": len(documents),
        "characters": sum(len(document.text) for document in documents),
        "document_length": lengths([len(document.text) for document in documents]),
        "by_type": dict(sorted(Counter(document.doc_type for document in documents).items())),
        "documents_by_language": dict(sorted(Counter(language_of(d.text[:20_000]) for d in documents).items())),
        "questions": len(questions),
        "answerable": answerable,
        "unanswerable": len(questions) - answerable,
        "answerable_share": round(answerable / len(questions), 4) if questions else None,
        "question_length": lengths([len(q.question) for q in questions]),
        "quote_length": lengths([i.end - i.start for q in questions for g in q.groups for i in g.items if not i.whole]),
        **{f"by_{name}": counts for name, counts in facets.items()},
        "category_by_difficulty": _table(questions),
        "evidence": _evidence(questions, documents),
        "needing_two_or_more": sum(len(q.groups) >= 2 for q in questions),
        "across_documents": sum(_across(q) for q in questions),
        "follow_ups": sum(bool(q.history) for q in questions),
        "repeats": {
            "same_questions": same_questions(questions),
            "near_questions": near_questions(questions),
            "same_documents": same_documents(documents),
        },
        "leakage": leakage(questions, {document.doc_id: document for document in documents}),
    }


def _table(questions: Sequence[Question]) -> dict[str, dict[str, int]]:
    counts = Counter((q.category, q.difficulty) for q in questions)
    return {name: {d: counts[name, d] for d in DIFFICULTIES} for name in sorted({q.category for q in questions})}


def _evidence(questions: Sequence[Question], documents: Sequence[Document]) -> dict[str, Any]:
    """Over the questions that have evidence."""
    having = [q for q in questions if q.groups]
    used = {item.doc_id for q in having for group in q.groups for item in group.items}
    return {
        "groups": _counts([len(q.groups) for q in having]),
        "alternatives": _counts([len(group.items) for q in having for group in q.groups]),
        "documents_needed": _counts([_spanned(q) for q in having]),
        "whole_documents": sum(any(item.whole for g in q.groups for item in g.items) for q in having),
        "documents_used": len(used),
        "documents_unused": len({d.doc_id for d in documents} - used),
    }


def _counts(values: Sequence[int]) -> dict[str, int]:
    return {str(value): n for value, n in sorted(Counter(values).items())}


def _spanned(question: Question) -> int:
    """Documents that the groups need, each group by the first document among its alternatives."""
    return len({group.items[0].doc_id for group in question.groups})


def _across(question: Question) -> bool:
    """Whether no single document satisfies all groups."""
    documents = [{item.doc_id for item in group.items} for group in question.groups]
    return len(documents) >= 2 and not set.intersection(*documents)
