"""One run as a comparison reads it: columns of scores, and what its rankings and answers were."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.compare.columns import Column, chunk_set_key, read_columns
from ragbench.core.codec import dumps, read_jsonl
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

Outcomes = Mapping[str, tuple[str, str]]
"""`(class of the diagnosis, why)` by question id."""


@dataclass(frozen=True, eq=False)
class Side:
    """`rankings`, `contexts` and `answers` tell by question whether two runs ranked, packed and said the same."""

    run: RunDir
    columns: Mapping[str, Column]
    categories: Mapping[str, str]
    splits: Mapping[str, str]
    chunks: str
    rankings: Mapping[str, str]
    contexts: Mapping[str, str]
    answers: Mapping[str, str]
    outcomes: Outcomes = field(default_factory=dict)

    @property
    def summary(self) -> Mapping[str, Any]:
        """summary.json."""
        return self.run.summary


def stored_outcomes(run: RunDir) -> Outcomes:
    """The classes that the run's summary holds, without reasons; empty where it holds none."""
    found = run.summary.get("diagnosis_by_question") or {}
    return {str(key): (str(value), "") for key, value in found.items()}


def read_side(run: RunDir, metrics: Sequence[str], outcomes: Callable[[RunDir], Outcomes] = stored_outcomes) -> Side:
    """Read what a comparison needs of a finished run; a measure that it does not have gives an empty column."""
    rows = run.chunk_rows()
    spans = [dumps([row["doc_id"], row["start"], row["end"]]) for row in rows]
    rankings, contexts, answers = {}, {}, {}
    for trace in read_jsonl(run.folder / layout.TRACES):
        key = str(trace["question_id"])
        rankings[key] = _digest(b"".join(spans[chunk] for chunk in _ranked(trace)))
        blocks = (trace.get("context") or {}).get("blocks") or ()
        contexts[key] = _digest(dumps([block["text"] for block in blocks]))
        answer = trace.get("answer") or {}
        answers[key] = _digest(dumps([answer.get("text"), answer.get("refused"), trace.get("error")]))
    return Side(
        run=run,
        columns=read_columns(run, metrics),
        categories={key: question.category for key, question in run.questions.items()},
        splits={key: question.split for key, question in run.questions.items()},
        chunks=chunk_set_key(rows),
        rankings=rankings,
        contexts=contexts,
        answers=answers,
        outcomes=outcomes(run),
    )


def _ranked(trace: Mapping[str, Any]) -> Sequence[int]:
    """Chunk numbers of the final ranking; none for a question that never came so far."""
    steps = trace.get("steps") or ()
    if not steps:
        return ()
    last = steps[-1]
    found: Sequence[int] = (last.get("reranked") or last["fused"])["chunks"]
    return found


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
