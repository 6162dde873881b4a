"""From new scores to a new ranking."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.records.search import Ranked, Ranking


def reordered(ranking: Ranking, scores: Sequence[float]) -> Ranking:
    """`ranking` with these scores, best first, ties by former rank; ranks from 1, `former` set."""
    pairs = sorted(zip(ranking, scores, strict=True), key=lambda pair: (-pair[1], pair[0].rank))
    return tuple(
        Ranked(chunk=hit.chunk, score=float(score), rank=rank, former=hit.rank)
        for rank, (hit, score) in enumerate(pairs, start=1)
    )


def with_scores(ranking: Ranking, scores: Sequence[float]) -> Ranking:
    """`ranking` in its order with other scores, which must fall with it."""
    return tuple(hit._replace(score=float(score)) for hit, score in zip(ranking, scores, strict=True))
