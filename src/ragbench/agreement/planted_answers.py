"""The shipped answers whose verdict is known: `data/answers.jsonl`, over passages of the shipped eval sets."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ragbench.agreement.records import LabelledAnswer
from ragbench.core.codec import loads
from ragbench.errors import DataError, Problems

SETS = ("policy_zh", "product_en")
"""The eval sets (v1) that the passages come from."""

Texts = Callable[[str], Mapping[str, str]]
"""Texts of a shipped set's documents by id."""


@dataclass(frozen=True)
class PlantedSet:
    """The answers and the hash of their file."""

    answers: tuple[LabelledAnswer, ...]
    data: str


def planted_answers(texts: Texts) -> PlantedSet:
    """The shipped answers with their passages cut from the documents.

    Raises DataError where the file is not the locked one, and Problems naming every answer whose passages are not the
    ones it was written over (documents read by other library versions).
    """
    content = shipped("answers.jsonl")
    data = f"sha256:{hashlib.sha256(content).hexdigest()}"
    locked = shipped("LOCK").decode("utf-8").strip()
    if data != locked:
        raise DataError("the planted answers", expected=f"the locked content {locked[:19]}", found=data[:19])
    rows = [loads(line) for line in content.splitlines()]
    documents = {name: texts(name) for name in SETS}
    answers, wrong = [], []
    for row in rows:
        passages = tuple(documents[row["set"]].get(doc, "")[start:end] for doc, start, end in row["context"])
        if text_hash(passages) != row["text"]:
            wrong.append(f"{row['id']}: the passages are not those it was written over")
        answers.append(_answer(row, passages))
    if wrong:
        hint = "Install the versions of requirements/constraints.txt, or check with a wheel of this version."
        raise Problems("the planted answers", wrong, hint)
    return PlantedSet(tuple(answers), data)


def shipped(name: str) -> bytes:
    """A file beside the answers."""
    return (files("ragbench.agreement") / "data" / name).read_bytes()


def text_hash(passages: Sequence[str]) -> str:
    """Sixteen hex digits over passages in order."""
    return hashlib.sha256("\0".join(passages).encode("utf-8")).hexdigest()[:16]


def _answer(row: Mapping[str, Any], passages: tuple[str, ...]) -> LabelledAnswer:
    return LabelledAnswer(
        id=row["id"],
        group=row["group"],
        language=row["language"],
        kind=row["kind"],
        question=row["question"],
        passages=passages,
        answer=row["answer"],
        supported=row.get("supported"),
        on_topic=row.get("on_topic"),
        claims_nothing=row.get("claims_nothing", False),
        parts=tuple((start, end, truth) for start, end, truth in row.get("parts", ())),
    )
