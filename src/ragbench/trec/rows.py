"""The rows of a run file as arrays, by query."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragbench.errors import DataError
from ragbench.trec.blocks import Tokens, blocks, columns, floats, numbered, runs_of, texts, wholes
from ragbench.trec.lines import content, shown, text

RUN = "a TREC run: query Q0 document rank score tag"
NO_RANK = -(1 << 63)
"""Stands for a rank that cannot be read."""


@dataclass(eq=False)
class Rows:
    """Rows of a run: `queries[owner[i]]`, `docs[i]`, `scores[i]` and `ranks[i]`, by query, else as in the file."""

    queries: list[str]
    owner: NDArray[np.int64]
    docs: list[str]
    scores: NDArray[np.float64]
    ranks: NDArray[np.int64]
    tag: str
    n_comments: int

    def of(self, at: NDArray[np.int64]) -> None:
        """Keep the rows `at`, in that order."""
        self.docs = list(map(self.docs.__getitem__, at.tolist()))
        self.owner, self.scores, self.ranks = self.owner[at], self.scores[at], self.ranks[at]


def read_rows(path: Path, ranked: bool) -> Rows:
    """All rows; with `ranked`, each must have a rank. Raises DataError naming file and line."""
    reading = _Reading(path, ranked)
    for first, block in blocks(content(path, RUN)):
        reading.block(first, block)
    return reading.done()


def whole(value: bytes) -> int | None:
    """A whole number of 64 bits, also as `2.0`; None for anything else."""
    if b"_" in value:
        return None
    try:
        number = int(value)
    except ValueError:
        if not is_number(value) or not float(value).is_integer():
            return None
        number = int(float(value))
    return number if abs(number) < 1 << 63 else None


def is_number(value: bytes) -> bool:
    """Whether a column is a number, also an infinite one."""
    try:
        return not isnan(float(value)) and b"_" not in value
    except ValueError:
        return False


class _Reading:
    """Rows while they are read."""

    def __init__(self, path: Path, ranked: bool) -> None:
        self.path, self.ranked = path, ranked
        self.numbers: dict[str, int] = {}
        self.docs: list[str] = []
        self.owners: list[NDArray[np.int64]] = []
        self.scores: list[NDArray[np.float64]] = []
        self.ranks: list[NDArray[np.int64]] = []
        self.tag: bytes | None = None
        self.n_comments = 0

    def block(self, first: int, block: bytes) -> None:
        """All lines at once where all are plain rows, else one by one."""
        plain = columns(block, 6)
        try:
            if plain is not None:
                self._add(plain, wholes(plain[3]))
                return
        except (ValueError, OverflowError):
            pass
        rows = [row for number, line in numbered(first, block) if (row := self._row(number, line))]
        ranks = [whole(row[3]) for row in rows]
        known = np.array([NO_RANK if rank is None else rank for rank in ranks], dtype=np.int64)
        self._add([[row[at] for row in rows] for at in range(6)], known)

    def done(self) -> Rows:
        """All rows by query; raises DataError where there is none."""
        if not self.docs:
            raise DataError(str(self.path), expected=RUN, found="no row")
        parts = (np.concatenate(self.owners), self.docs, np.concatenate(self.scores), np.concatenate(self.ranks))
        rows = Rows(list(self.numbers), *parts, (self.tag or b"").decode("utf-8", "replace"), self.n_comments)
        if np.any(rows.owner[1:] < rows.owner[:-1]):
            rows.of(np.argsort(rows.owner, kind="stable"))
        return rows

    def _add(self, plain: list[Tokens], ranks: NDArray[np.int64]) -> None:
        scores, docs = floats(plain[4]), texts(plain[2])
        named = [(query.decode("utf-8"), size) for query, size in runs_of(plain[0])]
        owner = [self.numbers.setdefault(query, len(self.numbers)) for query, _ in named]
        self.owners.append(np.repeat(np.array(owner, dtype=np.int64), [size for _, size in named]))
        self.docs += docs
        self.scores.append(scores)
        self.ranks.append(ranks)
        if self.tag is None and docs:
            self.tag = plain[5][0]

    def _row(self, number: int, line: bytes) -> list[bytes] | None:
        """The columns of a row, None for a comment; raises DataError for anything else."""
        row = line.split()
        fault = self._fault(row)
        if not fault:
            text(row[0], self.path, number)
            text(row[2], self.path, number)
            return row
        if not line.lstrip().startswith(b"#"):
            raise DataError(f"{self.path} line {number}", expected=fault, found=shown(line))
        self.n_comments += 1
        return None

    def _fault(self, row: list[bytes]) -> str:
        """What a row lacks; empty for a sound one."""
        if len(row) != 6:
            return f"6 columns ({RUN}), not {len(row)}"
        if not is_number(row[4]):
            return "a number as score (column 5)"
        if self.ranked and whole(row[3]) is None:
            return "a whole number as rank (column 4)"
        return ""
