"""Checking a stored index: documents, chunks and sides against each other, and against the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ragbench.core.codec import read_jsonl
from ragbench.errors import RagbenchError
from ragbench.index.vectors import unit_rows
from ragbench.upkeep.catalogue import Catalogue, ChunkSet, set_key
from ragbench.upkeep.commit import Workplace, read_catalogue
from ragbench.upkeep.folder import CATALOGUE
from ragbench.upkeep.plan import Plan, plan_update
from ragbench.upkeep.sides import DATA, ROWS, VECTORS
from ragbench.upkeep.variant import check_recipe

_PROBES = 32
_LENGTH = 1e-3


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a part, and the command that mends it."""

    part: str
    problem: str
    next_step: str


@dataclass(frozen=True)
class Checked:
    """`findings` break the index. `changes` is how the folder stands against it, None where it cannot be read;
    `notes` are worth knowing and break nothing."""

    findings: tuple[Finding, ...]
    n_documents: int = 0
    n_chunks: int = 0
    chunk_set: str = ""
    changes: Plan | None = None
    notes: tuple[str, ...] = ()
    sides: dict[str, dict[str, Any]] = field(default_factory=dict)


def verify(place: Workplace, folder: Path | None = None, wait: float = 60.0) -> Checked:
    """Check everything that can be checked without embedding; the index is not changed.

    `folder` None: the one that the index was made of.

    Raises:
        DataError: there is no index, or another process is at work.
        ConfigError: it was made with another variant.
    """
    live = place.live
    settings = live.settings()
    check_recipe(str(live.root), settings.recipe, place.variant)
    with live.locked("verify", wait):
        findings = [_finding(place, part, problem) for part, problem in live.faults(place.parts).items()]
        try:
            catalogue = read_catalogue(live)
            every = catalogue.all_chunks(place.variant.pipeline.prefix)
        except (RagbenchError, OSError, ValueError, KeyError, TypeError) as error:
            known = any(found.part == CATALOGUE for found in findings)
            return Checked((*findings, *([] if known else [_finding(place, CATALOGUE, _short(error))])))
        chunks = catalogue.searched(every)
        findings += [_finding(place, CATALOGUE, problem) for problem in _catalogue(place, catalogue, chunks)]
        whole = {found.part for found in findings}
        facts: dict[str, dict[str, Any]] = {}
        for side in place.variant.sides:
            if side not in whole:
                findings += [_finding(place, side, problem) for problem in _side(place, side, chunks, facts)]
        changes, notes = _against_folder(folder or Path(settings.folder), catalogue)
        notes += [_interrupted(place, bool(findings))] if live.journal() else []
        notes += _left_over(place)
        counts = len(catalogue.documents), len(chunks.chunks)
        return Checked(tuple(findings), *counts, chunks.key, changes, tuple(notes), facts)


def _finding(place: Workplace, part: str, problem: str) -> Finding:
    return Finding(part, problem, f"{place.live.mend} --rebuild" if part == CATALOGUE else place.live.mend)


def _catalogue(place: Workplace, catalogue: Catalogue, chunks: ChunkSet) -> Iterator[str]:
    head = place.live.head(CATALOGUE)
    if head is not None and chunks.key != head.chunk_set:
        yield f"its chunks are of set {chunks.key[:12]}, its head says {head.chunk_set[:12]}"
    if catalogue.documents.keys() != catalogue.files.keys():
        yield "documents and records of files are not the same"


def _side(place: Workplace, side: str, chunks: ChunkSet, facts: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What is wrong with a side whose files are those that were written."""
    head = place.live.head(side)
    assert head is not None
    folder = place.live.path(side, head)
    try:
        rows = list(read_jsonl(folder / ROWS))
        facts[side] = {"rows": len(rows), "chunk_set": head.chunk_set}
        wanted, held = chunks.by_id, {row[0]: row[1] for row in rows}
        orphans, missing = held.keys() - wanted.keys(), wanted.keys() - held.keys()
        other = [name for name in held.keys() & wanted.keys() if held[name] != wanted[name]]
        for names, words in ((orphans, "of no chunk"), (missing, "missing"), (other, "of another text")):
            if names:
                yield f"{len(names)} rows {words}, the first: {min(names)}"
        if set_key(rows) != head.chunk_set:
            yield "its rows are not those of its chunk-set hash"
        yield from _vectors(place, folder, len(rows), facts[side]) if side == "dense" else _words(place, folder, rows)
    except (RagbenchError, OSError, ValueError, KeyError, IndexError, TypeError) as error:
        yield f"cannot be read: {_short(error)}"


def _words(place: Workplace, folder: Path, rows: list[Any]) -> Iterator[str]:
    with place.variant.pipeline.sparse.open(folder / DATA) as index:
        if index.size != len(rows):
            yield f"the index holds {index.size} texts, not {len(rows)}"


def _vectors(place: Workplace, folder: Path, n_rows: int, facts: dict[str, Any]) -> Iterator[str]:
    vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
    facts["dimension"] = int(vectors.shape[1])
    if len(vectors) != n_rows:
        yield f"{len(vectors)} vectors for {n_rows} chunks"
    lengths = np.concatenate([np.linalg.norm(vectors[at : at + 4096], axis=1) for at in range(0, len(vectors), 4096)])
    bad = np.flatnonzero(~np.isfinite(lengths) | (np.abs(lengths - 1) > _LENGTH))
    if len(bad):
        yield f"{len(bad)} vectors hold NaN, infinity or are not of length 1, the first in row {bad[0]}"
        return
    with place.variant.pipeline.index.open(folder / DATA) as index:
        if index.size != n_rows:
            yield f"the index holds {index.size} vectors, not {n_rows}"
        lost = [number for number in _probed(len(vectors)) if not _finds(index, vectors, number)]
        if lost:
            yield f"{len(lost)} of {len(_probed(len(vectors)))} vectors tried are not found by the index"


def _probed(n_rows: int) -> list[int]:
    return sorted(set(np.linspace(0, n_rows - 1, min(n_rows, _PROBES)).astype(int).tolist()))


def _finds(index: Any, vectors: Any, number: int) -> bool:
    """Whether the nearest to a vector is itself or its like; raises DataError for a vector of another dimension."""
    vector = unit_rows(vectors[number : number + 1])[0]
    found, scores = index.search(vector, 1)
    return len(found) == 1 and bool(min(scores[0], unit_rows(vectors[found])[0] @ vector) > 1 - _LENGTH)


def _against_folder(folder: Path, catalogue: Catalogue) -> tuple[Plan | None, list[str]]:
    try:
        return plan_update(folder, catalogue), []
    except RagbenchError as error:
        return None, [f"the folder of documents was not looked at: {error}"]


def _interrupted(place: Workplace, broken: bool) -> str:
    journal = place.live.journal() or {}
    end = "leaving it broken" if broken else "leaving it whole"
    return f"{journal.get('verb')} of process {journal.get('pid')} was cut off at {journal.get('since')}, {end}"


def _left_over(place: Workplace) -> list[str]:
    found = place.live.leftovers(place.parts)
    if not found:
        return []
    count = f"{len(found)} folder{'s' * (len(found) > 1)} of a process that was cut off, the first: {min(found)}"
    return [f"{count}; what was taken out may lie there. Next: {place.live.mend}"]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
