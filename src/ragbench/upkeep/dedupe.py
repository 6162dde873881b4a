"""Taking near-duplicates out of a stored index."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragbench.errors import ConfigError
from ragbench.records.document import Chunk
from ragbench.upkeep.catalogue import OF_THE_BYTES, Catalogue, ChunkSet, Duplicate
from ragbench.upkeep.commit import Workplace, Written, commit, read_catalogue
from ragbench.upkeep.dates import KEYS, document_date
from ragbench.upkeep.guard import edition, n_words, plain_form
from ragbench.upkeep.near import Near, NearPairs, overlap
from ragbench.upkeep.opened import check_whole
from ragbench.upkeep.variant import check_recipe

_NOT_TELLING = OF_THE_BYTES | {*KEYS, "title", "author", "n_pages", "pages_without_text", "pages_by_pdfium"}


@dataclass(frozen=True, slots=True)
class Pair:
    """A chunk to take out and the one that is kept for it, with their texts; `cosine` None: equal texts."""

    removed: str
    kept: str
    cosine: float | None
    text: str
    kept_text: str


@dataclass(frozen=True)
class Deduped:
    """Pairs in canonical order of the removed chunk; `held_back` counts pairs that are alike but kept apart, by reason,
    `examples` shows some; `compared_by` is `vectors` or `text`. `written` is None for a dry run."""

    pairs: tuple[Pair, ...]
    held_back: Counter[str]
    examples: tuple[Near, ...]
    n_chunks: int
    compared_by: str
    written: Written | None


def dedupe(place: Workplace, cosine: float, *, loose: bool, apply: bool, wait: float = 60.0) -> Deduped:
    """Find chunks that say what another says, and take them out unless it is a dry run.

    By default two chunks must have the same sentences; with `loose` one may go for another that says more besides.

    All chunks are looked at, also those taken out before, so that the result depends on the documents alone. See
    `duplicates` for which of two is kept.

    Raises:
        ConfigError: a cosine outside (0, 1], or another variant than the index was made with.
        DataError: no such index, or a side is behind.
    """
    if not 0 < cosine <= 1:
        raise ConfigError("--cosine", expected="a number above 0, at most 1", found=f"{cosine:g}")
    check_recipe(str(place.live.root), place.live.settings().recipe, place.variant)
    with place.live.locked("dedupe", wait):
        check_whole(place.live, place.variant.sides)
        old = read_catalogue(place.live)
        every = old.all_chunks(place.variant.pipeline.prefix)
        near = _near(place, every, cosine, loose)
        found = duplicates(old, every, near)
        by_id = {chunk.chunk_id: chunk for chunk in every.chunks}
        pairs = tuple(
            Pair(one.chunk_id, one.kept_id, one.cosine, by_id[one.chunk_id].text, by_id[one.kept_id].text)
            for one in found
        )
        changes = apply and found != old.duplicates
        written = commit(place, replace(old, duplicates=found), "dedupe") if changes else None
        by = "vectors" if near.covered is not None else "text"
        return Deduped(pairs, near.held_back, tuple(near.examples), len(every.chunks), by, written)


def duplicates(catalogue: Catalogue, every: ChunkSet, near: NearPairs) -> tuple[Duplicate, ...]:
    """The chunks that another chunk stands for, in canonical order.

    Chunks are compared within one context: the same metadata (but titles, authors and dates), the same dates, years,
    versions and words such as draft in path and title of their documents, and the same trail of headings. Of two the
    one that says more words is kept; of equals that of the older document (by day), then the first in canonical order.
    A chunk goes only for one that stays.
    """
    found: dict[int, tuple[int, float | None]] = {}
    precedence = _precedence(catalogue, every.chunks)
    for numbers in _contexts(catalogue, every.chunks).values():
        found |= _of_context(sorted(numbers, key=precedence), every.chunks, near)
    return tuple(
        Duplicate(
            every.chunks[number].chunk_id,
            every.digests[number],
            every.chunks[kept].chunk_id,
            every.digests[kept],
            score,
        )
        for number, (kept, score) in sorted(found.items())
    )


def _near(place: Workplace, every: ChunkSet, cosine: float, loose: bool) -> NearPairs:
    dense = "dense" in place.variant.sides
    covered = place.vectors().cover(every.texts, place.embedder) if dense else None
    return NearPairs(every.chunks, covered, cosine, loose)


def _of_context(order: Sequence[int], chunks: Sequence[Chunk], near: NearPairs) -> dict[int, tuple[int, float | None]]:
    """Equal texts first, which leaves one of each to compare by vector. `order` begins with what is kept first."""
    equal: dict[int, int] = {}
    first: dict[tuple[str, ...], int] = {}
    for number in order:
        chunk = chunks[number]
        kept = first.setdefault((*_trail(chunk), plain_form(chunk.text)), number)
        if kept != number and not overlap(chunks[kept], chunk):
            equal[number] = kept
    found = near.among([number for number in order if number not in equal])
    # The one that was kept for an equal text may itself go for another, which then stands for both.
    return found | {number: found.get(kept, (kept, None)) for number, kept in equal.items()}


def _trail(chunk: Chunk) -> tuple[str, ...]:
    return tuple("".join(plain_form(title).split()) for title in chunk.headings)


def _contexts(catalogue: Catalogue, chunks: Sequence[Chunk]) -> dict[tuple[object, ...], list[int]]:
    of_document: dict[str, tuple[object, ...]] = {}
    for doc_id, document in catalogue.documents.items():
        telling = {key: value for key, value in document.metadata.items() if key.casefold() not in _NOT_TELLING}
        of_document[doc_id] = (repr(sorted(telling.items())), edition(doc_id, document.title))
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for chunk in chunks:
        found[(*of_document[chunk.doc_id], _trail(chunk))].append(chunk.number)
    return found


def _precedence(catalogue: Catalogue, chunks: Sequence[Chunk]) -> Callable[[int], tuple[int, str, int]]:
    days = {
        doc_id: document_date(document.metadata, catalogue.files[doc_id].day).day.isoformat()
        for doc_id, document in catalogue.documents.items()
    }
    return lambda number: (-n_words(chunks[number].text), days[chunks[number].doc_id], number)
