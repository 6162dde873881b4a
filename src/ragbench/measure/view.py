"""A ranked list as the measures see it: what each rank earned of the gold evidence, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragbench.errors import DataError
from ragbench.eval_set.align import FULL, TAU, Evidence, Placed, gains
from ragbench.records.document import Chunk


@dataclass(frozen=True, slots=True)
class RankedView:
    """One ranking of one question.

    `ranks[g]` is the rank that satisfied group g at tau 0.5 (0: never), `ranks_full[g]` the same at tau 1. `gains` and
    `gains_full` hold the groups newly satisfied at each rank and end with the last rank that earned one. `relevant`
    holds
    1 for each rank whose chunk is relevant by itself and ends with the last one. Where all evidence is whole documents,
    ranks count documents, each at its best chunk. `n_duplicates` chunks were removed because they stood higher already.
    """

    n_groups: int
    depth: int
    n_duplicates: int
    ranks: tuple[int, ...]
    ranks_full: tuple[int, ...]
    gains: tuple[int, ...]
    gains_full: tuple[int, ...]
    relevant: tuple[int, ...]
    touching: tuple[tuple[int, Placed], ...] = field(repr=False)
    numbers: tuple[int, ...] = field(repr=False)
    """Chunk numbers in rank order, duplicates removed (documents not merged)."""


def ranked_view(evidence: Evidence, numbers: Sequence[int], chunks: Sequence[Chunk]) -> RankedView:
    """Align a ranking (chunk numbers, best first). Raises DataError for a number that is no chunk."""
    distinct = tuple(dict.fromkeys(numbers))
    if distinct and not 0 <= min(distinct) <= max(distinct) < len(chunks):
        raise DataError(
            f"ranking of question {evidence.question_id}",
            expected=f"chunk numbers from 0 to {len(chunks) - 1}",
            found=str(min(distinct) if min(distinct) < 0 else max(distinct)),
        )
    touching = evidence.touching(map(chunks.__getitem__, distinct)) if evidence.n_groups else []
    ranked, depth = touching, len(distinct)
    if evidence.by_document:
        ranked, depth = _by_document(distinct, chunks, touching)
    half, full = evidence.first_ranks(ranked, (TAU, FULL))
    relevant = [rank for rank, span in ranked if evidence.is_relevant(span)]
    return RankedView(
        n_groups=evidence.n_groups,
        depth=depth,
        n_duplicates=len(numbers) - len(distinct),
        ranks=tuple(half),
        ranks_full=tuple(full),
        gains=tuple(gains(half)),
        gains_full=tuple(gains(full)),
        relevant=tuple(gains(relevant)),
        touching=tuple(touching),
        numbers=distinct,
    )


def group_ranks(evidence: Evidence, numbers: Sequence[int], chunks: Sequence[Chunk]) -> tuple[int, ...]:
    """`RankedView.ranks` of a ranking (chunk numbers, best first), and nothing else of it.

    Raises IndexError for a number beyond the chunks.
    """
    distinct = tuple(dict.fromkeys(numbers))
    touching = evidence.touching(map(chunks.__getitem__, distinct)) if evidence.n_groups else []
    if evidence.by_document:
        touching, _ = _by_document(distinct, chunks, touching)
    return tuple(evidence.first_ranks(touching)[0])


def _by_document(
    numbers: Sequence[int], chunks: Sequence[Chunk], touching: Sequence[tuple[int, Placed]]
) -> tuple[list[tuple[int, Placed]], int]:
    """Ranks of documents in order of their best chunk, for those that are evidence; and how many documents there
    are."""
    place: dict[str, int] = {}
    for number in numbers:
        place.setdefault(chunks[number].doc_id, len(place) + 1)
    firsts: dict[str, Placed] = {}
    for _, span in touching:
        firsts.setdefault(span.doc_id, span)
    return sorted(((place[doc], span) for doc, span in firsts.items()), key=lambda pair: pair[0]), len(place)
