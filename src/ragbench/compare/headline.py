"""The measures that a person looks at first, as far as runs have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

HEADLINE = (
    "chunks/evidence_intact",
    "query/complexity_accuracy",
    "retrieval/recall@5",
    "retrieval/recall_budget@2000",
    "ranking/recall@5",
    "ranking/mrr",
    "ranking/ndcg@10",
    "answer/evidence_in_context",
    "answer/faithfulness",
    "answer/ragas_faithfulness",
    "answer/ragas_factual_correctness",
    "answer/correctness_f1",
    "answer/completeness",
    "answer/citation_recall",
    "answer/refusal_accuracy",
    "answer/false_answer",
    "cost/total_ms",
)
"""What a person looks at first, in the order of the layers."""
CONTEXT = "answer/evidence_in_context"
"""Stands for the answers where none of the runs has any."""


_AT_FIVE = "ranking/recall@5"
_DEPTHS = (1, 2, 3, 4, 5, 10, 20, 50, 100)


def headline(summaries: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The headline measures that at least one of the runs has a mean of.

    Recall before reranking is left out where no run reranks: it says the same as recall after it. Evidence in the
    context stands for the answers where no run has any, if it says anything else than recall@5. Where the lists of some
    run are too short for recall@5 – those of another system – recall of the deepest list that all have takes its place,
    with the evidence in the context.
    """
    found = [name for name in HEADLINE if any(mean_of(one, name) is not None for one in summaries)]
    pairs = [(f"retrieval/{name}", f"ranking/{name}") for name in ("recall@5", "mrr")]
    same = all(mean_of(one, before) == mean_of(one, after) for one in summaries for before, after in pairs)
    left_out = {"retrieval/recall@5"} if same and _AT_FIVE in found else set()
    answers = any(name.startswith("answer/") and name != CONTEXT for name in found)
    deepest = "" if _all_have(summaries, _AT_FIVE) else _deepest(summaries)
    if not deepest and (answers or not tells_more(summaries)):
        left_out.add(CONTEXT)
    return (*([deepest] if deepest else []), *(name for name in found if name not in left_out))


def tells_more(summaries: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the evidence in the context is another figure than recall@5 in any of the runs."""
    return any(mean_of(one, CONTEXT) != mean_of(one, _AT_FIVE) for one in summaries)


def mean_of(summary: Mapping[str, Any], name: str) -> float | None:
    """The mean of a measure in a summary; None where it has none."""
    mean: float | None = ((summary.get("metrics") or {}).get(name) or {}).get("mean")
    return mean


def _all_have(summaries: Sequence[Mapping[str, Any]], name: str) -> bool:
    return all(mean_of(one, name) is not None for one in summaries)


def _deepest(summaries: Sequence[Mapping[str, Any]]) -> str:
    """Recall in the longest list that every run has; empty where they have none in common."""
    names = (f"ranking/recall@{k}" for k in reversed(_DEPTHS))
    return next((name for name in names if summaries and _all_have(summaries, name)), "")
