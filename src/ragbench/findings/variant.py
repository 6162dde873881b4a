"""One variant of a sweep as its findings see it: where it stands on the axes, its values by question, what it costs."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.compare.table import subject_of
from ragbench.core.codec import dumps, loads
from ragbench.evaluate.table import NOT_APPLICABLE, SCORED, ScoreBlock
from ragbench.measure.registry import registry
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

Values = Mapping[str, float]
"""Value by question. A question that failed has the worst value there is and is left out where there is none, as is one
that the measure does not apply to."""

JUDGE = "judge"
"""The role whose calls are no cost of the variant."""

TOKENS = "tokens"


@dataclass(frozen=True)
class Variant:
    """`at` is its value on each axis it reads, `twins` the other places of the grid that came out as it; `values` are
    by measure. `ms` is the mean time of a question and `cost` what models take for one, in `unit`, a currency or
    tokens; None where unknown."""

    run_id: str
    at: Mapping[str, str]
    twins: tuple[Mapping[str, str], ...]
    values: Mapping[str, Values]
    ms: float | None
    cost: float | None
    unit: str

    @property
    def places(self) -> tuple[Mapping[str, str], ...]:
        """All places of the grid that it fills."""
        return (self.at, *self.twins)


def worst_of(measure: str) -> float | None:
    """The worst value of a measure; None where there is none, or it is not one of ours."""
    family = registry().get(measure.partition("@")[0])
    return family.worst if family else None


def block_values(block: ScoreBlock, measures: Iterable[str]) -> dict[str, Values]:
    """Values of some measures of a block; those that it does not have are left out."""
    places = {one.name: at for at, one in enumerate(block.measures)}
    found: dict[str, Values] = {}
    for name in measures:
        if name in places:
            at = places[name]
            cells = zip(block.subjects, block.values[:, at].tolist(), block.status[:, at].tolist(), strict=True)
            counted = ((key, value if code == SCORED else None) for key, value, code in cells if code != NOT_APPLICABLE)
            found[name] = _valued(counted, name)
    return found


def run_values(run: RunDir, measures: Sequence[str]) -> dict[str, Values]:
    """The same of a stored run; only the lines of the measures are read as JSON."""
    heads = {b'{"measure":' + dumps(name): name for name in measures}
    cells: dict[str, list[tuple[str, float | None]]] = {name: [] for name in measures}
    with gzip.open(run.folder / layout.SCORES, "rb") as lines:
        for line in lines:
            head = line[: line.find(b',"kind":')]
            if head in heads:
                row = loads(line)
                if row["kind"] == "question" and row["status"] in ("scored", "failed"):
                    cells[heads[head]].append((subject_of(row), row["value"]))
    return {name: _valued(of, name) for name, of in cells.items() if of}


def _valued(cells: Iterable[tuple[str, float | None]], measure: str) -> dict[str, float]:
    worst = worst_of(measure)
    filled = ((key, worst if value is None else float(value)) for key, value in cells)
    return {key: value for key, value in filled if value is not None}


def cost_of(summary: Mapping[str, Any]) -> tuple[float | None, float | None, str]:
    """Mean milliseconds of a question, what models take for one but the judge's, and its unit; a variant that asks no
    model costs 0 of any."""
    ms = ((summary.get("metrics") or {}).get("cost/total_ms") or {}).get("mean")
    models = ((summary.get("cost") or {}).get("models") or {}).items()
    roles = [one for role, one in models if role != JUDGE]
    n = int(summary.get("n_questions") or 0)
    if not roles or not n:
        return ms, 0.0 if n else None, ""
    units = {one.get("currency") for one in roles}
    if len(units) == 1 and all(one.get("price") is not None for one in roles):
        return ms, sum(one["price"] for one in roles) / n, str(units.pop())
    tokens = [one.get(name) for one in roles for name in ("prompt_tokens", "completion_tokens")]
    return ms, None if None in tokens else sum(map(int, tokens)) / n, TOKENS
