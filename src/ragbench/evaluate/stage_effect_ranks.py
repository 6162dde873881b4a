"""The ranks at which a question's evidence stands in the lists that a stage is judged by, and what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from ragbench.eval_set.align import gains
from ragbench.flow.merging import interleaved
from ragbench.measure.case import Case
from ragbench.measure.ranking.average_precision import average_precision
from ragbench.measure.ranking.mrr import reciprocal_rank
from ragbench.measure.ranking.ndcg import group_ndcg
from ragbench.measure.retrieval.hit import hit
from ragbench.measure.retrieval.recall import recall
from ragbench.measure.view import group_ranks
from ragbench.retriever.fusion import merged

Ranks = tuple[int, ...]
"""For each evidence group of a question the rank that satisfied it; 0: none did."""

_WITHOUT_CUT: dict[str, Callable[[Sequence[int], int], float]] = {
    "mrr": lambda earned, n: reciprocal_rank(earned),
    "map": average_precision,
}
_WITH_CUT: dict[str, Callable[..., float]] = {
    "ndcg": group_ndcg,
    "recall": recall,
    "hit": lambda earned, n, k: hit(earned, k),
}


@lru_cache(maxsize=1 << 14)
def values(ranks: Ranks, names: tuple[str, ...]) -> tuple[float, ...]:
    """The measures `names` (`mrr`, `map`, `ndcg@k`, `recall@k`, `hit@k`) of one question, each in [0, 1].

    They are the measures of those names in the layers `retrieval/` and `ranking/`. Most questions have one of few
    patterns of ranks, so that hardly any is computed twice. Raises ValueError for a question without groups, KeyError
    for another name.
    """
    earned = gains(ranks)
    return tuple(_function(name)(earned, len(ranks)) for name in names)


@lru_cache(maxsize=64)
def _function(name: str) -> Callable[[Sequence[int], int], float]:
    measure, _, cut = name.partition("@")
    return partial(_WITH_CUT[measure], k=int(cut)) if cut else _WITHOUT_CUT[measure]


def route_ranks(case: Case, route: str, rrf_k: float) -> Ranks | None:
    """The ranks in a route's own ranking, as that route alone would give it; None where it was not searched.

    The lists of several requests are joined as a retriever of that route joins them, those of several rounds of
    retrieval in turns, as the rounds are.
    """
    single = case.route_ranks.get(route)
    if single is not None:
        return single
    rounds = case.trace.rounds if case.trace is not None else ()
    found = [lists for step in rounds if (lists := [one for one in step.route_lists if one.route == route])]
    if not found:
        return None
    rankings = [merged(lists, rrf_k)[0].tolist() for lists in found]
    numbers = rankings[0] if len(rankings) == 1 else interleaved(rankings)
    return group_ranks(case.evidence, numbers, case.corpus.chunks)


def chunk_ranks(case: Case) -> Ranks:
    """Ranks in the ranking before reranking counted in chunks, also where the evidence is whole documents."""
    if not case.evidence.by_document:
        return case.fused.ranks
    return tuple(case.evidence.first_ranks(case.fused.touching)[0])
