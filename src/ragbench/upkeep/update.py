"""Bringing a stored index to its folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.errors import DataError, StartAgain
from ragbench.splitter.chunking import chunk_corpus, chunks_to_rows
from ragbench.upkeep.catalogue import Catalogue
from ragbench.upkeep.commit import Workplace, Written, commit, read_catalogue
from ragbench.upkeep.folder import LiveFolder, Settings
from ragbench.upkeep.plan import Plan, plan_update
from ragbench.upkeep.variant import check_recipe


@dataclass(frozen=True)
class Wish:
    """How an update is asked for.

    `apply` None: at once, unless documents would go. `rebuild` forgets what the index holds and what was taken out of
    it by hand. `moved` accepts another folder than the one it was made of. `overrides` are noted for the next time.
    """

    apply: bool | None = None
    rebuild: bool = False
    moved: bool = False
    wait: float = 60.0
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True)
class Updated:
    """What an update found and did. `written` is None for a dry run; `faults` are those of the index before, which
    writing mends."""

    plan: Plan
    written: Written | None
    faults: tuple[str, ...] = ()


def update(folder: Path, place: Workplace, wish: Wish) -> Updated:
    """Compare a folder with its index and, unless it is a dry run, bring the index to it.

    The result is the one of a new index of the same folder, whatever came before; only stale documents and what was
    taken out by hand make a difference.

    Raises:
        DataError: no such folder, nothing usable in it, damaged documents, another process at work.
        ConfigError: the index was made with another variant.
    """
    try:
        return _update(folder, place, wish)
    except StartAgain:  # the embedder runs otherwise than its recipe said, which names the right space from now on
        return _update(folder, place, wish)


def _update(folder: Path, place: Workplace, wish: Wish) -> Updated:
    live = place.live
    if wish.apply is False and not live.exists:
        return Updated(plan_update(folder, Catalogue()), None)
    with live.locked("update", wish.wait):
        fresh = wish.rebuild or not live.exists
        if not fresh:
            check_folder(live, folder, wish.moved)
            check_recipe(str(live.root), live.settings().recipe, place.variant)
        old = Catalogue() if fresh else read_catalogue(live)
        plan = plan_update(folder, old)
        if not plan.files:
            raise _nothing(folder, plan)
        faults = () if fresh else tuple(live.faults(place.parts).values())
        if wish.apply is False or (wish.apply is None and plan.deletes):
            return Updated(plan, None, faults)
        settings = Settings(str(folder.resolve()), wish.overrides, place.variant.recipe())
        written = commit(place, next_catalogue(place, old, plan), "update", settings)
        return Updated(plan, written, faults)


def next_catalogue(place: Workplace, old: Catalogue, plan: Plan) -> Catalogue:
    """The catalogue that a plan leads to.

    A new or modified document is split; of the others the chunks stay as they are. Old chunks are found by document.
    """
    cut = set(plan.of("new", "modified"))
    documents = {doc_id: plan.documents.get(doc_id) or old.documents[doc_id] for doc_id in plan.files}
    splitter = place.variant.pipeline.splitter
    fresh = chunk_corpus(splitter, [documents[doc_id] for doc_id in documents if doc_id in cut], place.embedder)
    rows: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in (*(row for row in old.rows if row["doc_id"] not in cut), *chunks_to_rows(fresh)):
        rows[row["doc_id"]].append(row)
    return Catalogue(
        documents=documents,
        files=plan.files,
        rows=tuple(row for doc_id in documents for row in rows[doc_id]),
        expired=plan.expired,
        duplicates=old.duplicates,
    )


def check_folder(live: LiveFolder, folder: Path, moved: bool) -> None:
    """Raise DataError where an index was made of another folder: a wrong one would delete every document."""
    made_of = live.settings().folder
    if moved or str(folder.resolve()) == made_of or not folder.exists():
        return  # that there is none is told by whoever reads it
    raise DataError(
        f"index {live.root}",
        expected=f"the folder it was made of, {made_of}",
        found=str(folder.resolve()),
        hint="Name another index with --index DIR, or say --moved if the folder has moved.",
    )


def _nothing(folder: Path, plan: Plan) -> DataError:
    counts: Sequence[tuple[str, int]] = [(name, n) for name, n in plan.counts.items() if n]
    first = f"{plan.failures[0][0]}: {plan.failures[0][1]} " if plan.failures else ""
    return DataError(
        f"corpus {folder}",
        expected="at least one document with text",
        found=", ".join(f"{n} {name}" for name, n in counts) or "no files",
        hint=f"{first}Nothing was changed.",
    )
