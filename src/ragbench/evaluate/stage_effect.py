"""What fusion and reranking changed in one run: recorded question by question, told once at the end.

Both are compared on the lists that the run has anyway: the fused ranking with each route's own, the final ranking with
the fused one. What is kept of a question is a row of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.stage_effect_ceiling import ideal_ranks
from ragbench.evaluate.stage_effect_pairs import Pairs
from ragbench.evaluate.stage_effect_ranks import chunk_ranks, route_ranks
from ragbench.evaluate.stage_effect_table import Told, add_regret, tell
from ragbench.measure.base import Population, Reach
from ragbench.measure.case import Case
from ragbench.records.question import Question

EXCLUDED = ("no_evidence", "absent", "failed", "not_searched")
"""Why a question is not compared: it has no gold evidence, no trace, an error before the stage, or its query stage did
not search the route."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Which stages a variant has: whether something reorders the fused ranking, the routes its retriever fuses, the
    k by which the lists of several requests on one route are joined, and whether anything but the question as typed is
    searched."""

    reranks: bool
    routes: tuple[str, ...]
    rrf_k: float
    transforms: bool = False


class StageEffects:
    """Records cases as they are scored; `tell` gives the content of `stages` in summary.json."""

    def __init__(self, questions: Sequence[Question], rules: DiagnosisRules, compared: Compared) -> None:
        self.questions, self.rules, self.what = questions, rules, compared
        n, k, recall_k = len(questions), rules.k, rules.recall_k
        names = ("mrr", "map", "ndcg@10", f"recall@{k}", "hit@1")
        depth = recall_k if compared.reranks else k
        wide = tuple(dict.fromkeys((*names, f"recall@{depth}")))
        routes = compared.routes if len(compared.routes) > 1 else ()
        self.fusion = {route: Pairs(wide, depth, n) for route in routes}
        self.rerank = Pairs(names, k, n, capped=True) if compared.reranks else None
        self.cuts = np.zeros((n, 5), dtype=np.int32)
        """Groups of a question: all, in the pool, behind recall_k, behind k, and of these dropped by the reranker."""

    def add(self, row: int, case: Case) -> None:
        """Record one question; a second time replaces the first."""
        for route, pairs in self.fusion.items():
            pairs.excluded[row] = _excluded(case, Reach.FUSED)
            if not pairs.excluded[row]:
                alone = route_ranks(case, route, self.what.rrf_k)
                if alone is None:
                    pairs.excluded[row] = "not_searched"
                else:
                    pairs.add(row, alone, case.fused.ranks)
        if self.rerank is not None:
            self.rerank.excluded[row] = _excluded(case, Reach.RERANKED)
            if not self.rerank.excluded[row]:
                self._add_reranked(row, case, self.rerank)

    def tell(self, seed: int, ms: Mapping[str, float | None] | None) -> dict[str, Any]:
        """`stages` of summary.json; `ms` is the latency of reranking. A stage that the variant lacks is None."""
        categories = [question.category for question in self.questions]
        told = Told([question.id for question in self.questions], categories, seed)
        parts = [*self.fusion.values(), *([self.rerank] if self.rerank is not None else [])]
        tables = tell(parts, told)
        fusion = dict(zip(self.fusion, tables, strict=False))
        rerank = None
        if self.rerank is not None:
            rerank = tables[-1]
            add_regret(rerank, self.rerank, self.cuts, told)
            rerank["cost"] = {"ms": dict(ms) if ms else None, "counts": {}}
        return {
            "k": self.rules.k,
            "recall_k": self.rules.recall_k,
            "fusion": {"routes": fusion, "better": _better(fusion)} if fusion else None,
            "rerank": rerank,
        }

    def _add_reranked(self, row: int, case: Case, pairs: Pairs) -> None:
        recall_k, k = self.rules.cuts(case.trace)
        before, after, seen = case.fused.ranks, case.reranked.ranks, chunk_ranks(case)
        pairs.add(row, before, after, ideal_ranks(case, seen, recall_k))
        missed = [(rank, final) for rank, final in zip(seen, after, strict=True) if rank and not 0 < final <= k]
        cut = [final for rank, final in missed if rank <= recall_k]
        pool = sum(1 for rank in seen if rank)
        self.cuts[row] = len(seen), pool, len(missed) - len(cut), len(cut), cut.count(0)


def add_counts(stages: Mapping[str, Any] | None, counts: Mapping[str, Any]) -> None:
    """Add what a reranker counted (`pairs`, `calls`, tokens …) to its cost in `stages`."""
    rerank = (stages or {}).get("rerank")
    if rerank is not None:
        rerank["cost"]["counts"] = {name: n for name, n in counts.items() if isinstance(n, int)}


def _excluded(case: Case, reach: Reach) -> str:
    if Population.EVIDENCE in case.outside:
        return "no_evidence"
    if case.trace is None:
        return "absent"
    return "failed" if case.trace.error is not None and not case.reached(reach) else ""


def _better(fusion: Mapping[str, Any]) -> dict[str, str]:
    """The route that is better alone, by measure; the first where they are equal, none where nothing was compared."""
    names = next(iter(fusion.values()))["measures"] if fusion else ()
    means = {name: {route: told["measures"][name]["before"] for route, told in fusion.items()} for name in names}
    return {
        name: max(found, key=lambda route: found[route])
        for name, found in means.items()
        if all(mean is not None for mean in found.values())
    }
