"""Bringing a stored index to a catalogue.

All that is new is built beside what counts; then the heads are turned, the documents' first and one side after the
other. A process killed while building leaves the index as it was; one killed between two heads leaves a side behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_jsonl, write_jsonl
from ragbench.errors import DataError
from ragbench.upkeep.catalogue import Catalogue, ChunkSet
from ragbench.upkeep.folder import CATALOGUE, Head, LiveFolder, Settings
from ragbench.upkeep.sides import ROWS, EmbedderOpener, Vectors, side_head, write_dense, write_sparse
from ragbench.upkeep.variant import Variant


@dataclass(frozen=True)
class Written:
    """What a change wrote: chunks by count, the parts built anew, and what was computed and known for each side."""

    chunk_set: str
    n_chunks: int
    added: int
    removed: int
    built: tuple[str, ...]
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Workplace:
    """Where a change happens: the folder, the variant it is made with, and the function that opens the embedder."""

    live: LiveFolder
    variant: Variant
    embedder: EmbedderOpener

    @property
    def parts(self) -> tuple[str, ...]:
        """Catalogue and sides, in the order in which their heads are turned."""
        return (CATALOGUE, *self.variant.sides)

    def vectors(self) -> Vectors:
        """Vectors that the dense side holds, of whatever chunk set."""
        return Vectors.of_side(self.live.artifact("dense"), self.variant.pipeline.embedder.fingerprint())


def read_catalogue(live: LiveFolder) -> Catalogue:
    """The documents of an index, none for one that was never written; raises DataError where they are damaged."""
    head = live.head(CATALOGUE)
    if head is None:
        if any(live.head(side) for side in ("sparse", "dense")):
            raise _damaged(live, "nothing")
        return Catalogue()
    damage = live.faults([CATALOGUE]).get(CATALOGUE)
    if damage:
        raise _damaged(live, damage)
    return Catalogue.read(live.path(CATALOGUE, head))


def commit(place: Workplace, catalogue: Catalogue, verb: str, settings: Settings | None = None) -> Written:
    """Make the index hold a catalogue, and write `settings` where they are given. The lock must be held.

    What it holds already is not built again; a side that is behind, missing or damaged is. Raises DataError for a
    catalogue without documents, before anything is written.
    """
    live, pipeline = place.live, place.variant.pipeline
    every = catalogue.all_chunks(pipeline.prefix)
    catalogue = replace(catalogue, duplicates=catalogue.holding(every))
    chunks = catalogue.searched(every)
    if not chunks.chunks:
        raise DataError(
            f"index {live.root}",
            expected="at least one document to be left",
            found="none",
            hint="Delete the folder of the index if that is meant.",
        )
    before = _ids(live.artifact(CATALOGUE))
    heads = {CATALOGUE: Head(catalogue.key(chunks.key), chunks.key, len(chunks.chunks))}
    heads |= {side: side_head(side, pipeline, chunks) for side in place.variant.sides}
    built, facts = _build(place, catalogue, chunks, heads)
    if settings is not None:
        if not live.is_made_with(settings.recipe):
            live.forget()  # else the old parts would stand under the new recipe for a moment, or after a crash
        live.write_settings(settings)
    turned = [part for part in place.parts if live.head(part) != heads[part]]
    if turned:
        live.begin(verb, chunks.key)
    for part in turned:
        live.turn(part, heads[part])
    live.end(place.parts)
    after = set(chunks.by_id.items())
    return Written(chunks.key, len(after), len(after - before), len(before - after), built, facts)


def _build(
    place: Workplace, catalogue: Catalogue, chunks: ChunkSet, heads: Mapping[str, Head]
) -> tuple[tuple[str, ...], dict[str, Mapping[str, Any]]]:
    """Build the parts that are not there; their names, and what each build says."""
    live, pipeline = place.live, place.variant.pipeline
    facts: dict[str, Mapping[str, Any]] = {}

    def write(part: str, target: Path) -> None:
        if part == CATALOGUE:
            catalogue.write(target)
            write_jsonl(target / ROWS, ([chunk_id, digest] for chunk_id, digest in chunks.by_id.items()))
        elif part == "sparse":
            facts[part] = write_sparse(target, pipeline, chunks, live.artifact(part))
        else:
            facts[part] = write_dense(target, pipeline, chunks, place.vectors(), place.embedder)

    built = []
    for part in reversed(place.parts):  # the dense side first: it may ask for another embedder, and takes longest
        n_before = live.store.computed[part]
        live.store.get_or_build(part, heads[part].key, partial(write, part))
        if live.store.computed[part] > n_before:
            built.append(part)
    return tuple(reversed(built)), facts


def _ids(folder: Path | None) -> set[tuple[str, str]]:
    return set() if folder is None else {(row[0], row[1]) for row in read_jsonl(folder / ROWS)}


def _damaged(live: LiveFolder, found: str) -> DataError:
    return DataError(
        f"index {live.root}",
        expected="its documents whole",
        found=found,
        hint=f"Make it anew with: {live.mend} --rebuild",
    )
