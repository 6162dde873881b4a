"""The measures of a run that does not name its own."""

from __future__ import annotations

from ragbench.measure.base import Measure
from ragbench.measure.registry import measures

BUDGETS = (1000, 2000, 4000)

CHUNKS = (
    "chunks/evidence_intact",
    "chunks/evidence_reachable",
    "chunks/boundary_quality",
    "chunks/metadata_correct",
    "chunks/size_mean",
    "chunks/size_p50",
    "chunks/size_p95",
    "chunks/n_chunks",
    "chunks/index_overhead",
    "chunks/token_iou@5",
    "chunks/token_precision@5",
    "chunks/token_recall@5",
)
QUERY = ("query/complexity_accuracy", "query/abstained", "query/complexity_macro_f1")
ROUTES = tuple(f"retrieval/{share}@10" for share in ("only_dense", "only_sparse", "both", "neither"))
JUDGED = ("answer/faithfulness", "answer/relevancy", "answer/completeness", "answer/context_recall")
ANSWER = (
    "answer/correctness_f1",
    "answer/exact_match",
    "answer/refusal_accuracy",
    "answer/false_answer",
    "answer/false_refusal",
    "answer/answered",
    "answer/citation_precision",
    "answer/citation_recall",
    "answer/evidence_in_context",
)
COST = (
    *(f"cost/{stage}_ms" for stage in ("embed", "dense", "sparse", "fuse", "rerank", "pack", "generate", "total")),
    "cost/context_tokens",
    "cost/answer_chars",
)


def ranked(layer: str) -> tuple[str, ...]:
    """The measures of a ranking for one of the two layers that have one."""
    cuts = (1, 3, 5, 10, 20)
    return (
        *(f"{layer}/recall@{k}" for k in cuts),
        f"{layer}/recall_full@5",
        f"{layer}/precision@5",
        f"{layer}/hit@5",
        *(f"{layer}/recall_budget@{budget}" for budget in BUDGETS),
        f"{layer}/mrr",
        f"{layer}/map",
        f"{layer}/ndcg@5",
        f"{layer}/ndcg@10",
        f"{layer}/context_precision@5",
    )


def default_names(*, judged: bool = True) -> tuple[str, ...]:
    """Names in the order of the layers; `judged` False leaves out what needs a judge."""
    answers = (*JUDGED, *ANSWER) if judged else ANSWER
    return (*CHUNKS, *QUERY, *ranked("retrieval"), *ROUTES, *ranked("ranking"), *answers, *COST)


def default_measures(*, judged: bool = True) -> list[Measure]:
    """The measures of `default_names`."""
    return measures(default_names(judged=judged))
