"""What one run measured, read from its directory: values by subject, languages and categories, chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from ragbench.compare.columns import Column, chunk_set_key, read_columns
from ragbench.compare.columns import sign_of as sign_of_measure
from ragbench.core.codec import dumps
from ragbench.evaluate.aggregate import FACETS
from ragbench.evaluate.health import UNRECORDED
from ragbench.experiment.diagnosed import diagnosis_values
from ragbench.experiment.study import is_derived
from ragbench.run_dir.read import RunDir

T = TypeVar("T")
_SLOT_OF_CUTTING = "splitter"


@dataclass(frozen=True)
class Reading:
    """One run as a study reads it.

    `chunks` identifies the chunk set by its spans, `cutting` the recipe that made it and `rest` everything else of the
    pipeline: two runs with one `rest` and one `chunks` but two ways of cutting are no comparison.
    """

    run_id: str
    columns: Mapping[str, Column]
    languages: Mapping[str, str]
    categories: Mapping[str, str]
    chunks: str
    chunks_key: str
    n_chunks: int
    splitter: Mapping[str, Any]
    rest: str
    summary: Mapping[str, Any]
    splits: Mapping[str, str] = field(default_factory=dict)
    turns: Mapping[str, str] = field(default_factory=dict)
    complexities: Mapping[str, str] = field(default_factory=dict)

    def facet(self, name: str) -> Mapping[str, str]:
        """`category`, `language`, `split`, `turn` or `complexity` of each question."""
        columns = {"category": "categories", "complexity": "complexities"}
        found: Mapping[str, str] = getattr(self, columns.get(name, f"{name}s"))
        return found

    @property
    def overlap(self) -> Any:
        """The resolved overlap; None where the splitter has none."""
        children = self.splitter.get("children")
        fields = children.get("fields", {}) if isinstance(children, Mapping) else self.splitter
        return fields.get("overlap")


@cache
def sign_of(metric: str) -> int:
    """1 where more is better, −1 where less is."""
    return 1 if is_derived(metric) else sign_of_measure(metric)


def read_run(run: RunDir, metrics: Sequence[str]) -> Reading:
    """What a study needs of a finished run; a measure the run does not have gives an empty column."""
    stages = dict(run.manifest["pipeline"]["fields"])
    splitter = stages.pop(_SLOT_OF_CUTTING)
    questions = run.questions
    chunk_rows = run.chunk_rows()
    return Reading(
        run_id=run.run_id,
        columns=read_columns(run, metrics) | _diagnosed(run.summary),
        languages={name: question.language for name, question in questions.items()},
        categories={name: question.category for name, question in questions.items()},
        chunks=chunk_set_key(chunk_rows),
        chunks_key=str(run.manifest["keys"]["chunks"]),
        n_chunks=len(chunk_rows),
        splitter=splitter["fields"],
        rest=hashlib.sha256(dumps(stages)).hexdigest(),
        summary=run.summary,
        splits={name: question.split for name, question in questions.items()},
        turns={name: FACETS["turn"](question) for name, question in questions.items()},
        complexities={name: question.complexity or "" for name, question in questions.items()},
    )


def unrecorded_of(readings: Mapping[T, Reading]) -> dict[T, str]:
    """What replays lack, by cell, of those that lack a recording: `48 of 48 questions lack a recording`."""
    begins = f"{UNRECORDED}: "
    return {
        cell: line.removeprefix(begins).partition(";")[0]
        for cell, one in readings.items()
        for line in map(str, one.summary.get("health") or ())
        if line.startswith(begins)
    }


def _diagnosed(summary: Mapping[str, Any]) -> dict[str, Column]:
    return {name: Column("question", values) for name, values in diagnosis_values(summary).items()}
