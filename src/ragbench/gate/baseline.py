"""The baseline: a committed file with what a run scored, one line a question, so that changes are read in a diff."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import orjson

from ragbench.core.codec import read_json
from ragbench.core.surrogates import sound
from ragbench.errors import DataError
from ragbench.gate.side import Cell, Side, cell_of
from ragbench.records.score import Status

VERSION = 1
"""Of the file's form."""

_UNFIT = re.compile(r"[^\w.-]+")


def baseline_path(folder: Path, eval_set: str) -> Path:
    """Where the baseline of an eval set lies: `<folder>/<eval_set>.json`, signs that no file name needs as `_`."""
    return folder / f"{_UNFIT.sub('_', eval_set).lstrip('.') or '_'}.json"


def write_baseline(side: Side, path: Path) -> Path:
    """Keep a side as a baseline, whole or not at all, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(_text(side))
    temporary.replace(path)
    return path


def read_baseline(path: Path) -> Side | None:
    """The side that a baseline keeps; None where there is no file. Raises DataError for one that cannot be used."""
    if not path.is_file():
        return None
    try:
        found = read_json(path)
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']!r}, this ragbench reads {VERSION}")
        return _side(found)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        hint = "Take it from the history of the repository, or make it anew: ragbench baseline set RUN"
        raise DataError(
            f"baseline {path}", expected="what ragbench baseline set writes", found=said, hint=hint
        ) from error


def baselines(folder: Path) -> list[Path]:
    """The baselines of a folder by name; none where there is no such folder."""
    return sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))


def _text(side: Side) -> bytes:
    head = {"version": VERSION, **side.facts, "made": dict(side.made), "measures": list(side.columns)}
    body = orjson.dumps(sound(head), option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY)
    rows = b",\n".join(_rows(side))
    return body.removesuffix(b"\n}") + b',\n  "questions": {\n' + rows + b"\n  }\n}\n"


def _rows(side: Side) -> Iterator[bytes]:
    for question, category in side.categories.items():
        cells = {name: _shown(column[question]) for name, column in side.columns.items() if question in column}
        row = orjson.dumps(sound({"category": category, "scores": cells}))
        yield b"    " + orjson.dumps(sound(question)) + b": " + row


def _shown(cell: Cell) -> float | str | None:
    status, value = cell
    return value if status is Status.SCORED else status.value


def _side(found: Mapping[str, Any]) -> Side:
    facts = {
        name: found[name]
        for name in (
            "run_id", "label", "started", "eval_set", "fingerprint", "variant", "judge", "runtime", "copies",
        )
    }  # fmt: skip
    for name in ("eval_set", "variant", "judge"):
        facts[name].items()
    columns: dict[str, dict[str, Cell]] = {name: {} for name in found["measures"]}
    for question, row in found["questions"].items():
        for name, value in row["scores"].items():
            columns[name][question] = _cell(value, f"{name} of {question}")
    categories = {question: str(row["category"]) for question, row in found["questions"].items()}
    return Side(facts=facts, categories=categories, columns=columns, made=found.get("made") or {})


def _cell(value: Any, where: str) -> Cell:
    if isinstance(value, str):
        status = Status(value)
        if status is Status.SCORED:
            raise ValueError(f"{where}: scored without a value")
        return status, None
    cell = cell_of(Status.SCORED, value)
    if cell[1] is None or not isfinite(cell[1]):
        raise ValueError(f"{where}: no finite number")
    return cell
