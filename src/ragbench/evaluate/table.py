"""All scores of a run: subjects × measures, in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ragbench.core.codec import dumps
from ragbench.errors import DataError
from ragbench.evaluate.cell_words import CellWords
from ragbench.measure.base import Measure
from ragbench.measure.registry import measure as measure_named
from ragbench.records.score import Score, Status, Subject, SubjectKind

CODES = (Status.SCORED, Status.NOT_APPLICABLE, Status.FAILED)
"""Statuses by the code that stands for them in `ScoreBlock.status`."""

SCORED, NOT_APPLICABLE, FAILED = range(3)
_WORDS = tuple(status.value for status in CODES)
_TAILS = tuple(dumps(word) + b',"value":' for word in _WORDS)
_OWN_COSTS = (
    "cost/fuse_ms", "cost/rerank_ms", "cost/pack_ms", "cost/total_ms", "cost/context_tokens", "cost/budget_used",
    "cost/context_repeated", "cost/dropped_no_room", "cost/dropped_duplicates", "cost/dropped_shortened",
)  # fmt: skip
KINDS: tuple[SubjectKind, ...] = get_args(SubjectKind)


@dataclass(frozen=True, eq=False)
class ScoreBlock:
    """Scores of the subjects of one kind.

    `values` float64 and `status` uint8 are [subjects, measures]; a value is NaN unless its status is SCORED. `notes`
    and `judges` hold the words and the judge of the cells that have any.
    """

    kind: SubjectKind
    subjects: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    status: NDArray[np.uint8]
    notes: CellWords
    judges: CellWords

    @cached_property
    def twins(self) -> dict[int, int]:
        """For each column `ranking/…` that of the same measure in `retrieval/…`, where it stands before it."""
        places = {measure.name: place for place, measure in enumerate(self.measures)}
        pairs = {place: places.get(name.replace("ranking/", "retrieval/", 1)) for name, place in places.items()}
        return {late: early for late, early in pairs.items() if early is not None and early < late}

    @cached_property
    def groups(self) -> list[list[int]]:
        """The columns in groups by layer, those with twins and their twins each alone, and costs that hardly two
        variants have in common apart, so that two groups of equal scores are equal as wholes."""
        groups: dict[str, list[int]] = {}
        early = set(self.twins.values())
        for place, measure in enumerate(self.measures):
            kind = "early" if place in early else "late" if place in self.twins else measure.layer
            kind = "own costs" if measure.name in _OWN_COSTS else kind
            groups.setdefault(kind, []).append(place)
        return list(groups.values())

    def column(self, name: str) -> int:
        """Position of a measure; raises KeyError."""
        for at, one in enumerate(self.measures):
            if one.name == name:
                return at
        raise KeyError(name)

    def score(self, row: int, column: int) -> Score:
        """One cell as a record."""
        status = CODES[self.status[row, column]]
        return Score(
            measure=self.measures[column].name,
            subject=Subject(self.kind, self.subjects[row]),
            status=status,
            value=float(self.values[row, column]) if status is Status.SCORED else None,
            evidence=self.notes.get((row, column), ""),
            judge=self.judges.get((row, column), ""),
        )


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One block for each kind of subject; kinds without measures have an empty block."""

    blocks: Mapping[SubjectKind, ScoreBlock]

    @property
    def questions(self) -> ScoreBlock:
        """The block of the questions."""
        return self.blocks["question"]

    def scores(self) -> Iterator[Score]:
        """Every cell, subject by subject, in the order of the measures."""
        for block in self.blocks.values():
            for row in range(len(block.subjects)):
                for column in range(len(block.measures)):
                    yield block.score(row, column)

    def find(self, name: str) -> tuple[ScoreBlock, int]:
        """The block and column of a measure; raises KeyError."""
        for block in self.blocks.values():
            if any(one.name == name for one in block.measures):
                return block, block.column(name)
        raise KeyError(name)

    def to_rows(self) -> Iterator[dict[str, Any]]:
        """Rows of scores.jsonl.gz: measure, kind, subject, status, value; evidence and judge where there are any."""
        for block in self.blocks.values():
            names = [one.name for one in block.measures]
            for at, subject in enumerate(block.subjects):
                cells = zip(names, block.values[at].tolist(), block.status[at].tolist(), strict=True)
                for column, (name, value, code) in enumerate(cells):
                    row: dict[str, Any] = {"measure": name, "kind": block.kind, "subject": subject}
                    row["status"] = _WORDS[code]
                    row["value"] = value if code == SCORED else None
                    if (at, column) in block.notes:
                        row["evidence"] = block.notes[at, column]
                    if (at, column) in block.judges:
                        row["judge"] = block.judges[at, column]
                    yield row

    def to_lines(self) -> Iterator[bytes]:
        """The lines of `to_rows` in JSON, subject by subject."""
        for block in self.blocks.values():
            if not block.measures:
                continue
            heads = [b'{"measure":' + dumps(one.name) + b',"kind":' + dumps(block.kind) for one in block.measures]
            words = _words(block)
            for at, subject in enumerate(block.subjects):
                named = b',"subject":' + dumps(subject) + b',"status":'
                values = dumps(block.values[at].tolist())[1:-1].split(b",")
                tails = [_TAILS[code] for code in block.status[at].tolist()]
                cells = zip(heads, repeat(named), tails, values, words[at])
                yield b"".join(chain.from_iterable(cells))

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> ScoreTable:
        """The table that `to_rows` wrote. Raises DataError for a doubled, missing or malformed cell."""
        by_kind: dict[SubjectKind, list[Mapping[str, Any]]] = {kind: [] for kind in KINDS}
        for number, row in enumerate(rows, 1):
            if row.get("kind") not in by_kind or not {"measure", "subject", "status"} <= row.keys():
                raise DataError(f"score row {number}", expected="measure, kind, subject, status, value", found=str(row))
            by_kind[row["kind"]].append(row)
        return cls({kind: _block_of(kind, rows) for kind, rows in by_kind.items()})


def empty_block(kind: SubjectKind, subjects: Sequence[str], measures: Sequence[Measure]) -> ScoreBlock:
    """A block with every cell FAILED, to be filled."""
    shape = (len(subjects), len(measures))
    status = np.full(shape, FAILED, dtype=np.uint8)
    values = np.full(shape, np.nan)
    return ScoreBlock(kind, tuple(subjects), tuple(measures), values, status, CellWords(shape), CellWords(shape))


def _words(block: ScoreBlock) -> list[list[bytes]]:
    """What stands behind the value of each cell [subjects][measures]: its words and its judge, in JSON, and the end."""
    found = [[b"}\n"] * len(block.measures) for _ in block.subjects]
    for key, cells in ((b',"judge":', block.judges), (b',"evidence":', block.notes)):
        known: dict[str, bytes] = {}  # most say one of a few things
        for (row, column), text in cells.items():
            piece = known.get(text)
            if piece is None:
                piece = known[text] = key + dumps(text)
            found[row][column] = piece + found[row][column]
    return found


def _block_of(kind: SubjectKind, rows: Sequence[Mapping[str, Any]]) -> ScoreBlock:
    names = list(dict.fromkeys(row["measure"] for row in rows))
    subjects = list(dict.fromkeys(row["subject"] for row in rows))
    at_name, at_subject = ({key: at for at, key in enumerate(keys)} for keys in (names, subjects))
    block = empty_block(kind, subjects, [measure_named(name) for name in names])
    codes = {status.value: code for code, status in enumerate(CODES)}
    filled = np.zeros(block.status.shape, dtype=bool)
    for row in rows:
        cell = at_subject[row["subject"]], at_name[row["measure"]]
        thing = f"score of {row['measure']} for {kind} {row['subject']}"
        if filled[cell]:
            raise DataError(thing, expected="one row", found="two")
        filled[cell] = True
        code = codes.get(row["status"])
        if code is None or (code == SCORED) != isinstance(row.get("value"), int | float):
            raise DataError(thing, expected="a status and a value that agree", found=str(dict(row)))
        block.status[cell] = code
        if code == SCORED:
            block.values[cell] = row["value"]
        if row.get("evidence"):
            block.notes[cell] = row["evidence"]
        if row.get("judge"):
            block.judges[cell] = row["judge"]
    if not filled.all():
        subject, name = (int(at) for at in np.argwhere(~filled)[0])
        raise DataError(f"score of {names[name]} for {kind} {subjects[subject]}", expected="a row", found="none")
    return block
