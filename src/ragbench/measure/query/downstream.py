"""What a transform gained or lost for a question against the question as typed, and what understanding it cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragbench.eval_set.align import gains
from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.measure.ranking.mrr import reciprocal_rank
from ragbench.measure.retrieval.recall import recall
from ragbench.measure.view import group_ranks

_TYPED = "searched as typed"


def recall_gain(case: Case, k: int) -> Outcome:
    """Recall@k before reranking minus that of the question as typed in the same variant, in [−1, 1].

    N/a where the variant searches questions as typed, and for a question without a twin: absent from the run, or failed
    before it was searched. Source: methods.md §11 layer 2.
    """
    n = case.evidence.n_groups
    return _gain(case, lambda earned: recall(earned, n, k))


def mrr_gain(case: Case) -> Outcome:
    """Reciprocal rank before reranking minus that of the question as typed in the same variant, in [−1, 1]; n/a as
    `recall_gain`."""
    return _gain(case, reciprocal_rank)


def _gain(case: Case, value: Callable[[Sequence[int]], float]) -> Outcome:
    trace = case.trace
    if trace is None or trace.untransformed is None:
        return not_applicable(_TYPED)
    before = gains(group_ranks(case.evidence, trace.untransformed, case.corpus.chunks))
    return value(case.fused.gains) - value(before)


def spent(case: Case, names: Sequence[str]) -> Outcome:
    """Sum of what query understanding counted under `names` (`QueryView.usage`); 0 where no model was asked, n/a for a
    question that is absent from the run, and for tokens that a server did not tell."""
    if case.trace is None:
        return not_applicable("absent from the run")
    usage = case.trace.query.usage
    if usage.get("untold") and any(name.endswith("_tokens") for name in names):
        return not_applicable("the server did not say what it used")
    return float(sum(usage.get(name, 0) for name in names))


def searches(case: Case) -> Outcome:
    """Texts searched over all rounds; n/a for a question that is absent from the run."""
    if case.trace is None:
        return not_applicable("absent from the run")
    return float(sum(len(step.requests) for step in case.trace.rounds))
