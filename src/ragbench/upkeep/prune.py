"""Taking documents out of a stored index for their age."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace

from ragbench.errors import ConfigError
from ragbench.upkeep.catalogue import Catalogue, Expired, content_hash
from ragbench.upkeep.commit import Workplace, Written, commit, read_catalogue
from ragbench.upkeep.dates import document_date
from ragbench.upkeep.opened import check_whole
from ragbench.upkeep.variant import check_recipe


@dataclass(frozen=True, slots=True)
class Aged:
    """A document older than allowed. `source` is the name of the metadata its day comes from, or `file`."""

    doc_id: str
    day: str
    days: int
    source: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A metadata that should give the date of a document and cannot be read as one; `day` and `source` count instead,
    as in `Aged`."""

    doc_id: str
    name: str
    value: str
    day: str
    source: str


@dataclass(frozen=True)
class Pruned:
    """The documents that are too old, how many there are in all, dates that could not be read, and what was written;
    None for a dry run."""

    aged: tuple[Aged, ...]
    n_documents: int
    unread: tuple[Unread, ...]
    written: Written | None


def prune(place: Workplace, max_age_days: int, today: datetime.date, *, apply: bool, wait: float = 60.0) -> Pruned:
    """Take out every document dated more than `max_age_days` before `today`.

    It stays out, although its file is still there, until the document changes. A dry run writes nothing.

    Raises:
        ConfigError: a negative age, or another variant than the index was made with.
        DataError: no such index, a side is behind, or no document would be left.
    """
    if max_age_days < 0:
        raise ConfigError("--max-age-days", expected="0 or more", found=str(max_age_days))
    made = place.live.settings()
    check_recipe(str(place.live.root), made.recipe, place.variant)
    with place.live.locked("prune", wait):
        check_whole(place.live, place.variant.sides)
        old = read_catalogue(place.live)
        aged, unread = tuple(too_old(old, max_age_days, today)), tuple(unread_dates(old))
        if not aged or not apply:
            return Pruned(aged, len(old.documents), unread, None)
        out = {
            one.doc_id: Expired(old.files[one.doc_id].raw, content_hash(old.documents[one.doc_id]), one.day)
            for one in aged
        }
        left = replace(old.without(out), expired={**old.expired, **out})
        return Pruned(aged, len(old.documents), unread, commit(place, left, "prune"))


def too_old(catalogue: Catalogue, max_age_days: int, today: datetime.date) -> list[Aged]:
    """Documents dated more than `max_age_days` before `today`, the oldest first."""
    found = []
    for doc_id, document in catalogue.documents.items():
        dated = document_date(document.metadata, catalogue.files[doc_id].day)
        days = (today - dated.day).days
        if days > max_age_days:
            found.append(Aged(doc_id, dated.day.isoformat(), days, dated.source))
    return sorted(found, key=lambda one: (-one.days, one.doc_id))


def unread_dates(catalogue: Catalogue) -> list[Unread]:
    """Metadata that should give a date and cannot be read as one, by document."""
    found = []
    for doc_id, document in catalogue.documents.items():
        dated = document_date(document.metadata, catalogue.files[doc_id].day)
        found += [Unread(doc_id, *one, dated.day.isoformat(), dated.source) for one in dated.unread]
    return found
