"""Means of an experiment by variant: measures and eval sets down, variants across."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from ragbench.compare.table import number
from ragbench.report.experiment_curves import places
from ragbench.report.experiment_words import Words, joined

Found = Mapping[str, Any]

WIDTH = 100
_GAP, _LABEL, _NAME = 2, 34, 20
_BESIDE = ("retrieval/recall@5", "retrieval/recall_budget@2000", "cost/context_tokens")
"""What stands in the table besides the measures that the checks read, where the experiment has it."""


def main_measures(found: Found) -> tuple[str, ...]:
    """What the checks read, then recall at equal k, at equal context, and the context that it took."""
    read = [metric for check in found["checks"] for metric in check["metrics"]]
    return tuple(dict.fromkeys([*read, *(metric for metric in _BESIDE if metric in found["metrics"])]))


def all_measures(found: Found) -> tuple[str, ...]:
    """Every measure of the experiment, times that a check reads included."""
    return tuple(dict.fromkeys([*found["metrics"], *main_measures(found)]))


def means(found: Found, measures: Sequence[str]) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """For each measure that something has: a row a set and arm, with a figure for each variant in the order of the
    file; `–` where a variant has none."""
    for measure in measures:
        rows = []
        for name, arm, points in places(found):
            by_variant = {point["variant"]: _mean(point, measure) for point in points}
            values = [number(by_variant.get(variant)) for variant in found["variants"]]
            if any(value is not None for value in by_variant.values()):
                rows.append((joined([name, arm]), values))
        if rows:
            yield measure, rows


def means_lines(found: Found, words: Words, width: int = WIDTH) -> Iterator[str]:
    """The main measures as text of at most `width` columns; variants that do not fit stand in further blocks. Nothing
    where no variant finished."""
    tables = list(means(found, main_measures(found)))
    if not tables:
        return
    yield words("means_lead", baseline=found["baseline"])
    names = [_short(str(name), _NAME) for name in found["variants"]]
    label = min(_LABEL, max(cell_len(row) for _, rows in tables for row, _ in rows) + 2)
    for columns in _blocks(names, tables, width - label):
        head = "".join(_right(names[at], size) for at, size in columns)
        yield f"{' ' * label}{head}"
        for measure, rows in tables:
            yield _short(words.measure(measure), width)
            for row, values in rows:
                cells = "".join(_right(values[at], size) for at, size in columns)
                yield f"{set_cell_size(_short('  ' + row, label), label)}{cells}"


def _mean(point: Found, measure: str) -> Any:
    if measure == "timing/split_ms":
        return point.get("split_ms")
    if measure == "timing/query_ms":
        return (point.get("query_ms") or {}).get("p50")
    return (point["metrics"].get(measure) or {}).get("mean")


def _blocks(names: Sequence[str], tables: Any, room: int) -> Iterator[list[tuple[int, int]]]:
    """Places of the variants that stand side by side, each with the width of its column."""
    block: list[tuple[int, int]] = []
    for at, name in enumerate(names):
        cells = [values[at] for _, rows in tables for _, values in rows]
        size = max(cell_len(name), *map(len, cells)) + _GAP
        if block and sum(taken for _, taken in block) + size > room:
            yield block
            block = []
        block.append((at, size))
    yield block


def _right(text: str, size: int) -> str:
    return " " * (size - cell_len(text)) + text


def _short(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
