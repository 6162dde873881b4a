"""The measures of a run that does not name its own.

Left out are `chunks/coherence`, which costs a pass of the embedder over the sentences of the corpus, and the
chunk-level forms of the ranking measures, which cannot be compared between chunkings."""

from __future__ import annotations

from collections.abc import Iterable

from ragbench.judge.base import BY_CLAIMS
from ragbench.measure.base import Measure
from ragbench.measure.name import MeasureName
from ragbench.measure.registry import measures

DEFAULT = "default"
"""Stands for the default measures in a list of names."""

BUDGET = "recall_budget"
BUDGETS = (1000, 2000, 4000)

CHUNKS = (
    "chunks/evidence_intact",
    "chunks/evidence_reachable",
    "chunks/precision_omega",
    "chunks/boundary_quality",
    "chunks/metadata_correct",
    "chunks/size_mean",
    "chunks/size_min",
    "chunks/size_p10",
    "chunks/size_p50",
    "chunks/size_p90",
    "chunks/size_max",
    "chunks/share_short",
    "chunks/share_over",
    "chunks/n_chunks",
    "chunks/index_overhead",
    "chunks/over_window",
    "chunks/over_window_chars",
    "chunks/token_iou@5",
    "chunks/token_precision@5",
    "chunks/token_recall@5",
)
QUERY = (
    "query/complexity_accuracy",
    "query/abstained",
    "query/complexity_macro_f1",
    "query/complex_as_simple",
    "query/class_cost",
    "query/category_accuracy",
    "query/language_accuracy",
    "query/rewritten",
    "query/rewrite_entities",
    "query/rewrite_numbers",
    "query/rewrite_negations",
    "query/rewrite_language",
    "query/rewrite_similarity",
    "query/recall_gain@5",
    "query/mrr_gain",
)
ROUTES = tuple(f"retrieval/{share}@10" for share in ("only_dense", "only_sparse", "both", "neither"))
ANSWER = (
    "answer/correctness_f1",
    "answer/exact_match",
    "answer/correctness_rouge_l",
    "answer/correctness_semantic",
    "answer/refusal_accuracy",
    "answer/false_answer",
    "answer/false_refusal",
    "answer/answered",
    "answer/clarified",
    "answer/false_clarification",
    "answer/citation_precision",
    "answer/citation_recall",
    "answer/evidence_in_context",
    "answer/evidence_share",
    "answer/context_relevancy",
    "answer/evidence_dropped",
)
COST = (
    *(
        f"cost/{stage}_ms"
        for stage in ("query", "embed", "dense", "sparse", "fuse", "rerank", "pack", "generate", "total")
    ),
    "cost/query_calls",
    "cost/query_tokens",
    "cost/context_tokens",
    "cost/budget_used",
    "cost/context_repeated",
    "cost/dropped_no_room",
    "cost/dropped_duplicates",
    "cost/dropped_shortened",
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
        *(f"{layer}/{BUDGET}@{budget}" for budget in BUDGETS),
        f"{layer}/mrr",
        f"{layer}/map",
        f"{layer}/ndcg@5",
        f"{layer}/ndcg@10",
        f"{layer}/context_precision@5",
    )


def default_names(judged: Iterable[str] = BY_CLAIMS) -> tuple[str, ...]:
    """Names in the order of the layers; `judged` are those that the judge gives."""
    answers = (*judged, *ANSWER)
    return (*CHUNKS, *QUERY, *ranked("retrieval"), *ROUTES, *ranked("ranking"), *answers, *COST)


def default_measures(judged: Iterable[str] = BY_CLAIMS) -> list[Measure]:
    """The measures of `default_names`."""
    return measures(default_names(judged))


def largest_budget(names: Iterable[str] | None) -> int:
    """The largest context budget in tokens that these measures fill (None: the default ones); 0: they fill none."""
    parsed = map(MeasureName.parse, default_names() if names is None else names)
    return max((name.k or 0 for name in parsed if name.measure == BUDGET), default=0)


def named(names: Iterable[str], judged: tuple[str, ...]) -> list[str]:
    """A list of names with `default` replaced by the default measures, each name once."""
    found = [one for name in names for one in (default_names(judged) if name == DEFAULT else (name,))]
    return list(dict.fromkeys(found))
