"""The contexts of another system's lines, placed in the corpus and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.eval_set.load import EvalSet
from ragbench.eval_set.original_ids import read_original_ids
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.run.foreign_places import Place, Places, chunks_of
from ragbench.run.foreign_rows import ForeignRow, refuse

Seen = tuple[Place, str | None, float | None]
"""Where a context stands, the text that the system saw (None: that of its place), and its score."""


@dataclass(frozen=True)
class ForeignRun:
    """What another system made: `file` is where it stood, `label` its name, `k` the contexts that its generator read
    (None: all), `rows` its lines. `judged` is the set that it answers where there is no folder of one: questions, and
    documents by id."""

    file: Path
    kind: str
    label: str
    digest: str
    rows: Sequence[ForeignRow]
    k: int | None = None
    judged: tuple[EvalSet, Mapping[str, Document]] | None = None


@dataclass(frozen=True)
class Placed:
    """Lines of questions that are asked, with the places of their contexts; `texts` are those that the system saw."""

    rows: Mapping[str, tuple[ForeignRow, list[Seen]]]
    chunks: Sequence[Chunk]
    documents: Mapping[str, Document]
    outside: Mapping[str, Document]
    facts: Mapping[str, Any]


def place_contexts(
    foreign: ForeignRun, questions: Sequence[Question], eval_set: EvalSet, documents: Mapping[str, Document]
) -> Placed:
    """The lines of the questions that are asked, their contexts placed, each place once a line, with what was left out.

    Raises Problems for contexts that name what the corpus does not have.
    """
    finder = Places(documents, {name: doc for doc, name in read_original_ids(eval_set.folder).items()})
    problems: list[str] = []
    asked = {question.id for question in questions}
    counts = dict.fromkeys(("n_contexts", "n_blank", "n_duplicates", "n_outside"), 0)
    rows = {
        row.question_id: (row, _seen(row, finder, counts, problems)) for row in foreign.rows if row.question_id in asked
    }
    refuse(foreign.file, problems)
    known = {**documents, **finder.outside}
    chunks = chunks_of((place for _, own in rows.values() for place, *_ in own), known)
    facts = {
        **_facts(foreign, rows),
        "n_documents": len(documents),
        "n_absent": len(asked) - len(rows),
        **counts,
        "n_spaced": len(finder.spaced),
        "n_several": len(finder.several),
        "outside": [" ".join(one.text.split())[:80] for one in list(finder.outside.values())[:3]],
    }
    return Placed(rows, chunks, known, finder.outside if foreign.judged is None else known, facts)


def _seen(row: ForeignRow, finder: Places, counts: dict[str, int], problems: list[str]) -> list[Seen]:
    found: dict[Place, Seen] = {}
    for at, context in enumerate(row.contexts):
        place = finder.of(context)
        if isinstance(place, str):
            problems.append(f"{row.where}: contexts[{at}]: {place}")
            continue
        counts["n_contexts"] += 1
        counts["n_blank" if place is None else "n_duplicates"] += place is None or place in found
        if place is not None:
            counts["n_outside"] += place not in found and place[0] in finder.outside
            found.setdefault(place, (place, context.text, context.score))
    return list(found.values())


def _facts(foreign: ForeignRun, rows: Mapping[str, tuple[ForeignRow, list[Seen]]]) -> dict[str, Any]:
    return {
        "kind": foreign.kind,
        "unit": "whole documents" if foreign.kind == "trec" else None,
        "file": foreign.file.name,
        "sha256": foreign.digest,
        "k": foreign.k,
        "depth": max((len(own) for _, own in rows.values()), default=0),
        "answers": any(row.answer is not None for row, _ in rows.values()),
        "refusals": any(row.refused is not None for row, _ in rows.values()),
        "n_lines": len(foreign.rows),
        "n_other_split": len(foreign.rows) - len(rows),
    }
