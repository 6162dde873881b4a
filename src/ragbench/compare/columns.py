"""The scores of one run by measure and subject, and what tells two chunk sets apart."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ragbench.compare.table import CEILING, subject_of
from ragbench.core.codec import dumps
from ragbench.measure.family import Family
from ragbench.measure.registry import registry
from ragbench.run_dir.read import RunDir


@dataclass(frozen=True)
class Column:
    """One measure of one run: value by subject. A failed subject has the worst value there is, and is left out where
    there is none; one the measure does not apply to is left out. `kind` is `question`, `document` or `variant`."""

    kind: str
    values: Mapping[str, float]
    n_failed: int = 0
    failed: frozenset[str] = frozenset()

    @property
    def saturated(self) -> bool:
        """Whether at least 95 % of the values are 1."""
        return bool(self.values) and sum(v >= 1 for v in self.values.values()) >= CEILING * len(self.values)


def family_of(metric: str) -> Family:
    """The family of a measure; raises KeyError for one that is not ours."""
    return registry()[metric.partition("@")[0]]


@cache
def sign_of(metric: str) -> int:
    """1 where more is better, −1 where less is; raises KeyError for a measure that is not ours."""
    return 1 if family_of(metric).higher_is_better else -1


def read_columns(run: RunDir, metrics: Sequence[str]) -> dict[str, Column]:
    """The columns of some measures; one that the run does not have is empty."""
    wanted = {name: family_of(name) for name in metrics}
    values: dict[str, dict[str, float]] = {name: {} for name in wanted}
    failed: dict[str, set[str]] = {name: set() for name in wanted}
    for row in run.scores():
        name = row["measure"]
        if name not in wanted:
            continue
        if row["status"] == "scored":
            values[name][subject_of(row)] = float(row["value"])
        elif row["status"] == "failed":
            failed[name].add(subject_of(row))
            worst = wanted[name].worst
            if worst is not None:
                values[name][subject_of(row)] = worst
    return {
        name: Column(str(family.subject), values[name], len(failed[name]), frozenset(failed[name]))
        for name, family in wanted.items()
    }


def chunk_set_key(rows: Sequence[Mapping[str, Any]]) -> str:
    """What tells chunk sets apart, of the rows of chunks.jsonl.gz: their spans, and those of their parents."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(dumps([row["doc_id"], row["start"], row["end"], row.get("parent")]))
    return digest.hexdigest()
