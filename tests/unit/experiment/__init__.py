"""Studies and readings made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ragbench.experiment.legs import Evidence
from ragbench.experiment.plan import Cell
from ragbench.experiment.read_study import read_study
from ragbench.experiment.readings import Column, Reading
from ragbench.experiment.study import Study

RECALL, FAITHFUL, TOKENS = "retrieval/recall@5", "answer/faithfulness", "cost/context_tokens"


def study_data(**changes: Any) -> dict[str, Any]:
    """A valid experiment file over three sizes."""
    return {
        "claim": {"en": "Size matters.", "zh": "大小有影响。"},
        "base": {"splitter": "recursive", "overlap": 0},
        "vary": {"key": "chunk_size", "values": [200, 500, 800]},
        "baseline": 200,
        "eval_sets": ["one", "two"],
        "metrics": [RECALL, FAITHFUL, TOKENS],
        "verdict": [{"rule": "better_than", "a": 500, "b": 200, "metric": RECALL}],
    } | changes


def study_of(folder: Path, **changes: Any) -> Study:
    """The study of `study_data` with changes, read from a file."""
    path = folder / "sizes.yaml"
    path.write_text(yaml.safe_dump(study_data(**changes), allow_unicode=True), encoding="utf-8")
    return read_study(path)


def reading(name: str, values: Mapping[str, Sequence[float]], **more: Any) -> Reading:
    """A run with the given values by measure, of questions q0, q1, …; half zh and half en."""
    n = max(map(len, values.values()), default=0)
    columns = {
        metric: Column("question", {f"q{at}": float(v) for at, v in enumerate(values.get(metric, ()))})
        for metric in (RECALL, FAITHFUL, TOKENS)
    }
    fields: dict[str, Any] = {
        "run_id": name,
        "columns": columns,
        "languages": {f"q{at}": ("zh", "en")[at % 2] for at in range(n)},
        "categories": {f"q{at}": ("lookup", "vague")[at % 3 == 0] for at in range(n)},
        "chunks": name,
        "chunks_key": name,
        "n_chunks": 9,
        "splitter": {"chunk_size": 200, "chunk_unit": "chars", "overlap": 0},
        "rest": "rest",
        "summary": {"variant": {"generator": "extractive"}, "metrics": {}, "eval_set": {"split": "test"}},
    }
    return Reading(**(fields | more))


def evidence_of(study: Study, runs: Mapping[tuple[str, str], Any], arm: str = "") -> Evidence:
    """Evidence from `(set, variant)` → values of recall, or values by measure, or a reading."""
    readings = {}
    for (name, variant), values in runs.items():
        if not isinstance(values, Reading):
            values = reading(f"{name}-{variant}", values if isinstance(values, Mapping) else {RECALL: values})
        readings[Cell(name, arm, variant)] = values
    return Evidence(study, list(dict.fromkeys(name for name, _ in runs)), readings, {}, 0)


def share(n: int, of: int) -> list[float]:
    """The first n of `of` questions right, spread over both languages."""
    return [float(at < n) for at in range(of)]
