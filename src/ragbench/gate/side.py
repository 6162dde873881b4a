"""One side of a gate: what a run, or the run that a baseline was made of, scored question by question."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragbench.core.fingerprint import fingerprint
from ragbench.errors import DataError
from ragbench.records.score import Status
from ragbench.run_dir import layout
from ragbench.run_dir.foreign import FOREIGN
from ragbench.run_dir.read import RunDir

COPYING = frozenset({"generator.ExtractiveGenerator"})
"""Generators that copy sentences of their context: faithful by construction."""

Cell = tuple[Status, float | None]
"""Status of one question's score and its value, None unless it is scored."""

Column = Mapping[str, Cell]
"""Cells by question id."""


@dataclass(frozen=True)
class Side:
    """A run as the gate reads it, or the run that a baseline keeps.

    `facts` say what was measured and how: `run_id`, `label`, `started`, `eval_set`, `variant`, `fingerprint`, `judge`
    (`title` and `key`; empty: nothing was judged), `runtime`, `copies` (its generator is faithful by construction).
    `categories` holds the category of each question in order, `columns` the cells of each measure that was scored.
    `problems` are reasons why a run is no result, `oracle` its slots that read the gold.
    """

    facts: Mapping[str, Any]
    categories: Mapping[str, str]
    columns: Mapping[str, Column]
    problems: tuple[str, ...] = ()
    oracle: tuple[str, ...] = ()
    made: Mapping[str, Any] = field(default_factory=dict)

    @property
    def eval_set(self) -> Mapping[str, Any]:
        """Name, version, lock, split and part of the questions."""
        found: Mapping[str, Any] = self.facts["eval_set"]
        return found

    @property
    def copies(self) -> bool:
        """Whether the answers are copied from the context."""
        return bool(self.facts.get("copies"))


def read_side(run: RunDir, wanted: Collection[str]) -> Side:
    """A finished run with its scores of the measures `wanted`, as far as it has them.

    Raises DataError for a run whose files are missing or cannot be read.
    """
    try:
        summary, manifest = run.summary, run.manifest
        categories = {one.id: one.category for one in run.questions.values()}
        return Side(
            facts=_facts(summary, manifest),
            categories=categories,
            columns=_columns(run.scores(), set(wanted)),
            problems=tuple(summary.get("health") or ()),
            oracle=tuple(summary.get("oracle") or ()),
            made=_made(manifest),
        )
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
        expected = f"a run directory with {layout.SUMMARY}, {layout.QUESTIONS} and {layout.SCORES}"
        found = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(f"run {run.folder.name}", expected=expected, found=found, hint="Run it again.") from error


def _facts(summary: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Any]:
    titles = list(dict.fromkeys(map(str, (summary.get("judge") or {}).values())))
    generator = {} if FOREIGN in manifest else manifest["pipeline"]["fields"]["generator"]
    return {
        "run_id": str(summary["run_id"]),
        "label": str(summary.get("label") or ""),
        "started": str(manifest.get("started") or ""),
        "eval_set": {key: summary["eval_set"].get(key) for key in ("name", "version", "lock", "split", "questions")},
        "fingerprint": str(manifest.get("fingerprint") or ""),
        "variant": dict(summary.get("variant") or {}),
        "judge": {"title": ", ".join(titles), "key": fingerprint("judge", manifest.get("judge"))} if titles else {},
        "runtime": _runtime(summary.get("runtime"), manifest.get("provenance") or {}),
        "copies": generator.get("stage") in COPYING,
    }


def _runtime(found: Mapping[str, Any] | None, where: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the embedder ran as; with int8 also the instructions of the processor, on which its vectors depend."""
    if found is None or found.get("precision") != "int8":
        return None if found is None else dict(found)
    return {**found, "instructions": (where.get("cpu") or {}).get("int8")}


def _made(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What made the run: version, machine, commit and its pipeline."""
    found = manifest.get("provenance") or {}
    kept = {name: found.get(name) for name in ("ragbench", "python", "platform", "cpu", "git")}
    return {**kept, "pipeline": manifest.get("pipeline")}


def _columns(rows: Iterable[Mapping[str, Any]], wanted: set[str]) -> dict[str, dict[str, Cell]]:
    found: dict[str, dict[str, Cell]] = {}
    for row in rows:
        if row["kind"] == "question" and row["measure"] in wanted:
            column = found.setdefault(row["measure"], {})
            if row["subject"] in column:
                raise ValueError(f"{row['measure']} of {row['subject']} stands twice")
            column[row["subject"]] = cell_of(row["status"], row.get("value"))
    return found


def cell_of(status: Any, value: Any) -> Cell:
    """A cell whose status and value agree; raises ValueError for any other."""
    known = Status(status)
    if known is not Status.SCORED:
        return known, None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"a scored cell without a number: {value!r}")
    return known, float(value)
