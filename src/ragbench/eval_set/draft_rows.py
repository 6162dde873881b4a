"""Rows of questions.jsonl from a draft: evidence placed, splits drawn, languages told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from ragbench.corpus.normalise import normalise
from ragbench.eval_set.draft import Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.place import Place, Placed, Placer
from ragbench.text.language import language_of
from ragbench.text.normal import comparison_form

Groups = dict[str, list[Place]]


def placed_rows(draft: Draft, request: ImportRequest, placer: Placer, ledger: Ledger) -> Iterator[dict[str, Any]]:
    """The rows of all questions that can be used, in the draft's order; the ledger says what became of the others.

    A question is rejected when it has no text, when its id was used before, or when one of its groups has no place. One
    that repeats another's words stays, so that counts are those of the source, and is noted.
    """
    ids: set[str] = set()
    asked: dict[str, set[tuple[Place, ...]]] = {}
    for question in draft.questions:
        if not question.question.strip():
            ledger.add("rejected", "the question has no text", question.id)
            continue
        if question.id in ids:
            ledger.add("rejected", "the id was used before", question.id)
            continue
        groups = _groups(question, placer, ledger)
        if groups is None:
            continue
        evidence = tuple(sorted({place for places in groups.values() for place in places}))
        before = asked.setdefault(comparison_form(question.question), set())
        if evidence in before:
            ledger.add("noted", "the same question with the same evidence stands before it", question.id)
        elif before:
            ledger.add("noted", "the same question stands before it with other evidence", question.id)
        before.add(evidence)
        ids.add(question.id)
        yield _row(question, groups, request.language, placer)


def split_of(name: str) -> str:
    """`dev` for a third of all ids, by their SHA-256, else `test`: the same id has the same split everywhere."""
    return "dev" if int(hashlib.sha256(name.encode("utf-8", "replace")).hexdigest(), 16) % 3 == 0 else "test"


def _groups(question: DraftQuestion, placer: Placer, ledger: Ledger) -> Groups | None:
    """Places by group, or None for a question that is rejected; the ledger is told at the end, once it is kept."""
    if not question.answerable:
        return {}
    groups: Groups = {}
    faults: dict[str, list[str]] = {}
    told: list[tuple[str, str]] = []
    for claim in question.claims:
        found = placer.place(claim)
        groups.setdefault(claim.group, [])
        if isinstance(found, Placed):
            groups[claim.group] += found.places
            told += [("repaired", repair) for repair in found.repairs] + [("noted", found.note)] * bool(found.note)
        else:
            faults.setdefault(claim.group, []).append(found)
    lost = [name for name, places in groups.items() if not places]
    if lost or not groups:
        reason = faults[lost[0]][0] if lost else "an answerable question without evidence"
        ledger.add("rejected", reason, question.id)
        return None
    for kind, reason in (*told, *(("dropped", reason) for reasons in faults.values() for reason in reasons)):
        ledger.add(kind, reason, question.id)
    kept = _distinct(groups)
    if len(kept) < len(groups):
        ledger.add("noted", "evidence that is given twice is counted once", question.id)
    return kept


def _distinct(groups: Groups) -> Groups:
    """Items once a group, ascending; a group that repeats another is one with it."""
    kept: dict[tuple[Place, ...], str] = {}
    for name, places in groups.items():
        kept.setdefault(tuple(sorted(set(places))), name)
    return {name: list(places) for places, name in kept.items()}


def _row(question: DraftQuestion, groups: Groups, language: str | None, placer: Placer) -> dict[str, Any]:
    text = normalise(question.question).strip()
    row: dict[str, Any] = {"id": question.id, "question": text, "category": question.category}
    if question.difficulty:
        row["difficulty"] = question.difficulty
    row |= {
        "language": question.language or language or language_of(text),
        "answerable": question.answerable,
        "split": question.split or split_of(question.id),
        "evidence": [placer.item(place, name) for name, places in groups.items() for place in places],
        "reference": question.reference,
    }
    if question.history:
        row["history"] = [{"role": turn.role, "content": normalise(turn.content).strip()} for turn in question.history]
    if question.standalone:
        row["standalone"] = normalise(question.standalone).strip()
    metadata: Mapping[str, Any] = question.metadata
    return row | ({"metadata": dict(metadata)} if metadata else {})
