"""Reading and validating the rows of questions.jsonl; all problems are found at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from ragbench.errors import DataError, Problems
from ragbench.records.question import CATEGORIES, COMPLEXITIES, DIFFICULTIES, LANGUAGES, SPLITS

_TEXT = ("id", "question")
_VOCABULARY = {
    "category": CATEGORIES,
    "difficulty": DIFFICULTIES,
    "language": LANGUAGES,
    "split": SPLITS,
    "complexity": COMPLEXITIES,
}
_OPEN = ("category",)
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "category": str,
    "difficulty": str,
    "language": str,
    "answerable": bool,
    "split": str,
    "evidence": list,
    "reference": str,
    "history": list,
    "complexity": str,
    "standalone": str,
    "filter": dict,
    "principal": str,
    "gold_sql": str,
    "metadata": dict,
}
_ITEM_FIELDS = {"doc", "quote", "start", "end", "whole", "group"}


def read_rows(
    path: Path,
    strict: bool = True,
    problems: list[str] | None = None,
    faulty: list[dict[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Rows of a questions file in order.

    Raises Problems with every fault of every line (bad JSON, missing or doubled id, unknown field or value, impossible
    evidence), and DataError when there are no rows. With `problems` given, faults are added to it instead and the sound
    rows returned; `faulty` then gets the other rows that have an id, so that their quotes can be looked at too.
    `strict` false admits categories of other people's sets.
    """
    rows: list[dict[str, Any]] = []
    found: list[str] = []
    seen: dict[str, int] = {}
    for number, line in _lines(path):
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            found.append(f"line {number}: not valid JSON ({error.msg})")
            continue
        faults = [*_doubled_keys(line), *_faults(row, strict)]
        name = row.get("id") if isinstance(row, dict) else None
        if isinstance(name, str) and seen.setdefault(name, number) != number:
            faults.append(f"id {name} was already used in line {seen[name]}")
        found += [f"line {number}{f' ({name})' if name else ''}: {fault}" for fault in faults]
        if not faults:
            rows.append(row)
        elif faulty is not None and isinstance(name, str):
            faulty.append(row)
    if problems is not None:
        problems += found
    elif found:
        raise Problems(str(path), found)
    if not rows and not found:
        hint = "Write one JSON object a line, or make them of a table: ragbench eval-set import csv"
        raise DataError(str(path), expected="at least one question", found="none", hint=hint)
    return rows


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """`(number from 1, line)` of the lines that are not blank. Only newlines end one: pasted text may hold U+2028."""
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(str(path), expected="UTF-8", found=f"byte {error.start} is not") from error
    yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _faults(row: Any, strict: bool) -> Iterator[str]:
    if not isinstance(row, dict):
        yield f"expected a JSON object, found {type(row).__name__}"
        return
    for name in _TEXT:
        if not isinstance(row.get(name), str) or not row[name].strip():
            yield f"{name}: expected a non-empty text"
    for name in sorted(row.keys() - _TYPES.keys() - set(_TEXT)):
        yield f"{name}: unknown field (known: {', '.join([*_TEXT, *_TYPES])})"
    for name, kind in _TYPES.items():
        value = row.get(name)
        if value is not None and not isinstance(value, kind):
            yield f"{name}: expected {kind.__name__ if isinstance(kind, type) else kind}, found {type(value).__name__}"
    for name, words in _VOCABULARY.items():
        value = row.get(name)
        if isinstance(value, str) and value not in words and (strict or name not in _OPEN):
            yield f"{name}: expected one of {', '.join(words)}, found {value!r}"
    yield from _history_faults(row.get("history"))
    yield from _evidence_faults(row)


def sound_items(row: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """`(number, item)` of the evidence whose form is right, of a row that has faults elsewhere."""
    items = row.get("evidence")
    for number, item in enumerate(items if isinstance(items, list) else []):
        if not any(True for _ in _item_faults(item)):
            yield number, item


def _doubled_keys(line: str) -> list[str]:
    """A fault for each key that stands twice in one object: a parser would keep the last without a word."""
    doubled: dict[str, None] = {}

    def note(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                doubled.setdefault(key)
            seen.add(key)

    with suppress(RecursionError, ValueError):  # deeper, or longer in its numbers, than this parser reads
        json.loads(line, object_pairs_hook=note)
    return [f"{key}: stands twice in one object" for key in doubled]


def _history_faults(history: Any) -> Iterator[str]:
    for number, turn in enumerate(history if isinstance(history, list) else []):
        if not isinstance(turn, dict) or turn.get("role") not in ("user", "assistant") or not turn.get("content"):
            yield f"history[{number}]: expected a role (user or assistant) and a content"


def _evidence_faults(row: Mapping[str, Any]) -> Iterator[str]:
    items = row.get("evidence") or []
    if not isinstance(items, list):
        return
    answerable = row.get("answerable", True)
    if answerable and not items:
        yield "evidence: an answerable question needs at least one item (or set answerable to false)"
    if answerable is False and items:
        yield "evidence: an unanswerable question has none"
    for number, item in enumerate(items):
        yield from (f"evidence[{number}]: {fault}" for fault in _item_faults(item))


def _item_faults(item: Any) -> Iterator[str]:
    if not isinstance(item, dict):
        yield "expected an object"
        return
    for name in sorted(item.keys() - _ITEM_FIELDS):
        yield f"unknown field {name}"
    if not isinstance(item.get("doc"), str) or not item["doc"]:
        yield "doc: expected the path of a document"
    quote, start, end, whole = (item.get(name) for name in ("quote", "start", "end", "whole"))
    if not isinstance(item.get("group", ""), str):
        yield f"group: expected a text, found {item['group']!r}"
    if whole is not None and not isinstance(whole, bool):
        yield f"whole: expected true or false, found {whole!r}"
    if whole:
        return
    if start is not None or end is not None:
        if not _is_interval(start, end):
            yield f"start, end: expected 0 <= start < end, found {start!r}, {end!r}"
    elif not isinstance(quote, str) or not quote.strip():
        yield "expected a quote, or start and end, or whole: true"


def _is_interval(start: Any, end: Any) -> bool:
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in (start, end))
    return whole and 0 <= start < end
