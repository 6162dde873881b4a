"""Questions and documents that an eval set holds more than once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from ragbench.records.document import Document
from ragbench.records.question import Question
from ragbench.text.normal import comparison_form
from ragbench.text.terms import terms

NEAR = 0.8
"""Jaccard similarity of terms from which two questions count as nearly equal."""

_NOT_WORDS = re.compile(r"(?<!\d)[\W_]+|[\W_]+(?!\d)")


def same_questions(questions: Sequence[Question]) -> list[list[str]]:
    """Ids of questions whose words are equal but for width, case, blanks and punctuation; groups of two or more."""
    return _groups((_bare(q.question), q.id) for q in questions)


def same_documents(documents: Sequence[Document]) -> list[list[str]]:
    """Ids of documents whose words are equal in the same sense."""
    return _groups((_bare(document.text), document.doc_id) for document in documents)


def near_questions(questions: Sequence[Question]) -> list[list[str]]:
    """Pairs of ids of questions that share at least `NEAR` of their terms and all their numbers, equal ones left out,
    in the order of the questions.

    Candidates are found by their rarest terms: sets that similar share one of the first few in a common order.
    """
    bags = [frozenset(terms(q.question)) for q in questions]
    bare = [_bare(q.question) for q in questions]
    frequency: dict[str, int] = defaultdict(int)
    for bag in bags:
        for term in bag:
            frequency[term] += 1
    holders: dict[str, list[int]] = defaultdict(list)
    pairs: list[list[str]] = []
    for number, bag in enumerate(bags):
        ordered = sorted(bag, key=lambda term: (frequency[term], term))
        rarest = ordered[: len(bag) - -(-int(NEAR * 1000) * len(bag) // 1000) + 1]
        candidates = {other for term in rarest for other in holders[term]}
        near = (other for other in sorted(candidates) if bare[other] != bare[number] and _near(bag, bags[other]))
        pairs += [[questions[other].id, questions[number].id] for other in near]
        for term in rarest:
            holders[term].append(number)
    return pairs


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    if len(one & other) < NEAR * len(one | other):
        return False
    return not any(char.isdigit() for term in one ^ other for char in term)


def _bare(text: str) -> str:
    return _NOT_WORDS.sub("", comparison_form(text))


def _groups(items: Iterable[tuple[Hashable, str]]) -> list[list[str]]:
    found: dict[Hashable, list[str]] = defaultdict(list)
    for key, name in items:
        found[key].append(name)
    return [names for names in found.values() if len(names) > 1]
