"""The measures of a ranking, once for the list before reranking and once for the list after it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragbench.measure.base import Outcome, Population, Reach, failed
from ragbench.measure.case import Case
from ragbench.measure.family import Family
from ragbench.measure.ranking import chunk_level
from ragbench.measure.ranking.average_precision import average_precision
from ragbench.measure.ranking.context_precision import context_precision
from ragbench.measure.ranking.document_level import doc_ndcg
from ragbench.measure.ranking.mrr import reciprocal_rank
from ragbench.measure.ranking.ndcg import group_ndcg
from ragbench.measure.retrieval.budget import budget_recall
from ragbench.measure.retrieval.hit import hit
from ragbench.measure.retrieval.precision import precision
from ragbench.measure.retrieval.r_precision import r_precision
from ragbench.measure.retrieval.recall import recall
from ragbench.measure.retrieval.routes import SHARES, route_share
from ragbench.measure.view import RankedView

View = Callable[[Case], RankedView]
RANKS = "ranks"
TOKENS = "context tokens"


def fused(case: Case) -> RankedView:
    """The list before reranking."""
    return case.fused


def reranked(case: Case) -> RankedView:
    """The list after reranking."""
    return case.reranked


def families(layer: str, view: View, reach: Reach) -> list[Family]:
    """The measures of `retrieval/` or `ranking/`; the list they read is `view`."""

    def family(name: str, definition: str, function: Callable[..., Outcome], cutoff: str = RANKS) -> Family:
        bound = partial(function, view)
        return Family(f"{layer}/{name}", definition, bound, cutoff, population=Population.EVIDENCE, reach=reach)

    return [
        family("recall", "evidence groups the first k ranks satisfy at tau 0.5 ÷ all groups", _recall),
        family("recall_full", "the same with evidence covered in full (tau 1)", _recall_full),
        family("precision", "ranks among the first k that are relevant by themselves ÷ k", _precision),
        family("hit", "1 when the first k ranks satisfy any group", _hit),
        family("mrr", "1 ÷ rank of the first satisfied group", _mrr, ""),
        family("map", "average precision over the groups, R being all groups", _map, ""),
        family("r_precision", "groups the first R ranks satisfy ÷ R, R being all groups", _r_precision, ""),
        family("ndcg", "nDCG with linear gain, the ideal being one group a rank over all groups", _ndcg),
        family(
            "context_precision", "mean precision at the relevant ranks among the first k (RAGAS)", _context_precision
        ),
        family(
            "recall_budget",
            "groups satisfied by whole chunks from the top that fit k tokens ÷ all groups",
            _budget,
            TOKENS,
        ),
        family("chunk_recall", "relevant chunks among the first k ÷ all relevant chunks", chunk_level.chunk_recall),
        family("chunk_precision", "relevant chunks among the first k ÷ k", chunk_level.chunk_precision),
        family("chunk_hit", "1 when a relevant chunk is among the first k", chunk_level.chunk_hit),
        family(
            "chunk_r_precision", "relevant chunks among the first R ÷ R, R being all", chunk_level.chunk_r_precision, ""
        ),
        family("chunk_mrr", "1 ÷ rank of the first relevant chunk", chunk_level.chunk_mrr, ""),
        family("chunk_map", "average precision, R being all relevant chunks", chunk_level.chunk_map, ""),
        family("chunk_ndcg", "nDCG with the groups a chunk satisfies alone as its grade", chunk_level.chunk_ndcg),
        family("doc_ndcg", "nDCG of whole documents with the grades of the qrels (1 where there are none)", doc_ndcg),
    ]


def route_families() -> list[Family]:
    """Which route found the evidence."""
    words = {
        "only_dense": "groups that only the dense route finds within its first k hits ÷ all groups",
        "only_sparse": "groups that only the sparse route finds within its first k hits ÷ all groups",
        "both": "groups that both routes find within their first k hits ÷ all groups",
        "neither": "groups that neither route finds within its first k hits ÷ all groups",
    }
    return [
        Family(
            f"retrieval/{share}",
            words[share],
            partial(route_share, share=share),
            RANKS,
            population=Population.EVIDENCE,
            reach=Reach.FUSED,
            higher_is_better=share != "neither",
            worst=1.0 if share == "neither" else 0.0,
        )
        for share in SHARES
    ]


def _recall(view: View, case: Case, k: int) -> float:
    row = view(case)
    return recall(row.gains, row.n_groups, k)


def _recall_full(view: View, case: Case, k: int) -> float:
    row = view(case)
    return recall(row.gains_full, row.n_groups, k)


def _precision(view: View, case: Case, k: int) -> float:
    return precision(view(case).relevant, k)


def _hit(view: View, case: Case, k: int) -> float:
    return hit(view(case).gains, k)


def _mrr(view: View, case: Case) -> float:
    return reciprocal_rank(view(case).gains)


def _map(view: View, case: Case) -> float:
    row = view(case)
    return average_precision(row.gains, row.n_groups)


def _r_precision(view: View, case: Case) -> float:
    row = view(case)
    return r_precision(row.gains, row.n_groups)


def _ndcg(view: View, case: Case, k: int) -> float:
    row = view(case)
    return group_ndcg(row.gains, row.n_groups, k)


def _context_precision(view: View, case: Case, k: int) -> float:
    return context_precision(view(case).relevant, k)


def _budget(view: View, case: Case, k: int) -> Outcome:
    row = case.filled(view(case), k)
    if row is None:
        return failed(f"the list holds less than {k} tokens and was not continued beyond the pool; run it anew")
    return budget_recall(case.evidence, row, case.corpus.tokens, k)
