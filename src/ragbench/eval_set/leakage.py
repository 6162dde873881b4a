"""How much of a question's wording stands in its evidence: what keyword search is given for free."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ragbench.eval_set.distribution import nearest_rank
from ragbench.records.document import Document
from ragbench.records.question import EvidenceItem, Question
from ragbench.text.sentences import sentences
from ragbench.text.terms import content_terms, terms

HIGH = 0.9
"""A question with more than this share of its content terms in its evidence was most likely copied from it."""

_BINS = 5


def leakage(questions: Sequence[Question], documents: Mapping[str, Document]) -> dict[str, Any]:
    """Distribution of the overlap of questions and their evidence, twice: with the evidence itself (`evidence`) and
    with the sentences it lies in (`sentences`), which is the telling one where evidence is a short answer.

    Each is `{n, mean, median, p90, bins, high}`: `bins` counts shares in fifths of [0, 1], `high` lists
    `{id, share}` above `HIGH`, the highest first. Questions without evidence, or with whole documents as evidence, are
    left out and counted in `without_spans`.
    """
    having = [q for q in questions if q.groups and not any(item.whole for group in q.groups for item in group.items)]

    @cache
    def borders(doc_id: str) -> list[tuple[int, int]]:
        return [(sentence.start, sentence.end) for sentence in sentences(documents[doc_id].text)]

    def narrow(item: EvidenceItem) -> str:
        return documents[item.doc_id].text[item.start : item.end]

    def wide(item: EvidenceItem) -> str:
        start, end = widened((item.start, item.end), borders(item.doc_id))
        return documents[item.doc_id].text[start:end]

    found = {
        name: _distribution({q.id: overlap(q.question, _texts(q, text)) for q in having})
        for name, text in (("evidence", narrow), ("sentences", wide))
    }
    return {**found, "without_spans": len(questions) - len(having)}


def overlap(question: str, evidence: Sequence[str]) -> float:
    """Share of the question's distinct content terms that occur in the texts, in [0, 1]; 0 for a question without
    terms."""
    asked = set(content_terms(question))
    return len(asked & {term for text in evidence for term in terms(text)}) / len(asked) if asked else 0.0


def widened(span: tuple[int, int], borders: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The span with the sentences (ascending, disjoint) it shares characters with."""
    first = bisect_right(borders, span[0], key=lambda border: border[1])
    last = bisect_left(borders, span[1], key=lambda border: border[0]) - 1
    if first > last:
        return span
    return min(span[0], borders[first][0]), max(span[1], borders[last][1])


def _texts(question: Question, text: Callable[[EvidenceItem], str]) -> list[str]:
    return [text(item) for group in question.groups for item in group.items]


def _distribution(shares: Mapping[str, float]) -> dict[str, Any]:
    ordered = sorted(shares.values())
    bins = [0] * _BINS
    for share in ordered:
        bins[min(_BINS - 1, int(share * _BINS))] += 1
    high = sorted(((name, share) for name, share in shares.items() if share > HIGH), key=lambda row: (-row[1], row[0]))
    return {
        "n": len(ordered),
        "mean": round(sum(ordered) / len(ordered), 4) if ordered else None,
        "median": round(nearest_rank(ordered, 0.5), 4) if ordered else None,
        "p90": round(nearest_rank(ordered, 0.9), 4) if ordered else None,
        "bins": bins,
        "high": [{"id": name, "share": round(share, 4)} for name, share in high],
    }
