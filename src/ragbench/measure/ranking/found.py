"""Where a foreign run found what is relevant: all queries at once, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragbench.trec.order import above_in_ties, score_keys

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Scored = Mapping[str, float]
Ranked = Sequence[str]
Grades = Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What is relevant to each of `n` queries, and where a run found it.

    `query`, `rank` (from 1), `nth` (from 1: how many relevant ones stand at or above it) and `gain` describe the
    relevant documents that the run holds, by query and rank. `n_relevant` is [n]. `ideal_query`, `ideal_rank` and
    `ideal_gain` describe the best possible ranking, by query and rank.
    """

    n: int
    query: Ints
    rank: Ints
    nth: Ints
    gain: Ints
    n_relevant: Ints
    ideal_query: Ints
    ideal_rank: Ints
    ideal_gain: Ints

    @classmethod
    def of_scores(cls, lists: Sequence[Scored], judged: Sequence[Grades]) -> Found:
        """Align scores by document, put into trec_eval's order, with the grades of the same queries."""
        held, ideal = _relevant(lists, judged)
        ranks = trec_ranks(lists, held.query, held.docs, held.places)
        return cls._sorted(held.query, ranks, held.gain, ideal, len(judged))

    @classmethod
    def of_lists(cls, lists: Sequence[Ranked], judged: Sequence[Grades]) -> Found:
        """Align lists of distinct documents, best first, with the grades of the same queries."""
        held, ideal = _relevant([dict(zip(one, count(1))) for one in lists], judged)
        return cls._sorted(held.query, np.array(held.places, dtype=np.int64), held.gain, ideal, len(judged))

    @classmethod
    def _sorted(cls, query: Ints, rank: Ints, gain: Ints, ideal: tuple[Ints, Ints], n: int) -> Found:
        order = np.lexsort((rank, query))
        query, ideal_query = query[order], ideal[0]
        return cls(
            n=n,
            query=query,
            rank=rank[order],
            nth=_within(query),
            gain=gain[order],
            n_relevant=np.bincount(ideal_query, minlength=n),
            ideal_query=ideal_query,
            ideal_rank=_within(ideal_query),
            ideal_gain=ideal[1],
        )


class _Held(NamedTuple):
    """The relevant documents that lists hold, with what the lists say of them: scores or ranks."""

    query: Ints
    docs: list[str]
    gain: Ints
    places: list[Any]


def trec_order(scores: Scored) -> list[str]:
    """Ids as trec_eval sorts them: by score in single precision, descending, then by id, descending."""
    ids = list(scores)
    ranks = trec_ranks([scores], np.zeros(len(ids), dtype=np.int64), ids, list(scores.values()))
    return [ids[at] for at in np.argsort(ranks).tolist()]


def trec_ranks(lists: Sequence[Scored], query: Ints, docs: Sequence[str], scores: Sequence[float]) -> Ints:
    """Ranks, from 1, that trec_eval gives to `docs`, which have `scores` in the lists numbered by `query` (ascending).

    Ids are compared only where one of `docs` is in a tie: other ties move none of them.
    """
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    starts = np.cumsum(lengths) - lengths
    owner = np.repeat(np.arange(len(lists), dtype=np.int64), lengths)
    keys = score_keys(owner, chain.from_iterable(one.values() for one in lists))
    own = score_keys(query, scores)
    ascending = keys if np.all(keys[1:] >= keys[:-1]) else np.sort(keys)
    first = np.searchsorted(ascending, own, side="left")
    ranks: Ints = first - starts[query] + 1
    follower = np.minimum(first + 1, len(keys) - 1)
    tied = np.flatnonzero((follower > first) & (ascending[follower] == own)) if len(own) else first
    if len(tied):
        ids = list(chain.from_iterable(lists))
        ranks[tied] += above_in_ties(keys, ids, own[tied], [docs[at] for at in tied.tolist()])
    return ranks


def _relevant(lists: Sequence[Mapping[str, Any]], judged: Sequence[Grades]) -> tuple[_Held, tuple[Ints, Ints]]:
    """The relevant documents that the lists hold; query and grade of all relevant ones, best first."""
    query: list[int] = []
    docs: list[str] = []
    gain: list[int] = []
    places: list[Any] = []
    every: list[tuple[int, int]] = []
    for number, (one, grades) in enumerate(zip(lists, judged)):
        for doc, grade in grades.items():
            if grade > 0:
                every.append((number, -grade))
                place = one.get(doc)
                if place is not None:
                    query.append(number)
                    docs.append(doc)
                    gain.append(grade)
                    places.append(place)
    every.sort()
    ideal = np.array(every, dtype=np.int64).reshape(-1, 2)
    held = _Held(np.array(query, dtype=np.int64), docs, np.array(gain, dtype=np.int64), places)
    return held, (ideal[:, 0], -ideal[:, 1])


def _within(groups: Ints) -> Ints:
    """Place of each entry in its group, from 1; groups stand together."""
    opens = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(opens, len(groups)))
    return np.arange(len(groups), dtype=np.int64) - np.repeat(opens, sizes) + 1
