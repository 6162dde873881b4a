"""What query understanding said, what it cost, and what it changed: recorded question by question, told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragbench.eval_set.align import gains
from ragbench.evaluate.aggregate import SMALL
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.query_labels import Guess, label_tables
from ragbench.evaluate.stage_effect import Compared
from ragbench.evaluate.stage_effect_pairs import Pairs
from ragbench.evaluate.stage_effect_ranks import Ranks, values
from ragbench.evaluate.stage_effect_table import Told, cells_of, tell
from ragbench.measure.base import Population
from ragbench.measure.case import Case
from ragbench.measure.retrieval.recall import recall
from ragbench.measure.view import group_ranks
from ragbench.records.question import Question
from ragbench.records.trace import QueryView

HANDED = "handed_on"
"""Recall of what retrieval hands on: to the reranker where there is one, else to the packer, by the cut-offs of the
variant before and those of the question after."""

SHOWN = 50
COUNTS = ("calls", "prompt_tokens", "completion_tokens", "fallbacks", "untold")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is kept of one question."""

    view: QueryView | None
    n_requests: int


class QueryEffects:
    """Records cases as they are scored; `tell` gives the content of `query` in summary.json."""

    def __init__(self, questions: Sequence[Question], rules: DiagnosisRules, compared: Compared) -> None:
        self.questions, self.rules, self.what = questions, rules, compared
        self.cut = rules.recall_k if compared.reranks else rules.k
        self.seen = [_Seen(None, 0)] * len(questions)
        names = (f"recall@{rules.k}", "mrr", "ndcg@10", HANDED)
        self.pairs = Pairs(names, rules.k, len(questions)) if compared.transforms else None

    def add(self, row: int, case: Case) -> None:
        """Record one question; a second time replaces the first."""
        trace = case.trace
        steps = trace.rounds if trace is not None else ()
        self.seen[row] = _Seen(case.query[1], sum(len(step.requests) for step in steps))
        if self.pairs is not None:
            self.pairs.excluded[row] = _excluded(case)
            if not self.pairs.excluded[row]:
                self._compare(row, case, self.pairs)

    def tell(self, seed: int, ms: Mapping[str, float | None] | None) -> dict[str, Any]:
        """`query` of summary.json; `ms` is the latency of the query stage. A part that the variant lacks is None."""
        views = [one.view for one in self.seen]
        return {
            "k": self.rules.k,
            "handed_on": self.cut,
            **label_tables(_guesses(self.questions, views), seed),
            "cost": _cost(self.seen, ms),
            "downstream": self._downstream(seed) if self.pairs is not None else None,
        }

    def _compare(self, row: int, case: Case, pairs: Pairs) -> None:
        trace = case.trace
        assert trace is not None and trace.untransformed is not None
        after = case.fused.ranks
        same = list(trace.untransformed) == [hit.chunk for hit in trace.fused]
        before = after if same else group_ranks(case.evidence, trace.untransformed, case.corpus.chunks)
        own = trace.recall_k if self.what.reranks else trace.k
        cuts = self.cut, self.cut if own is None else own
        plain = pairs.names[:-1]
        pairs.put(
            row,
            (*values(before, plain), _handed(before, cuts[0])),
            (*values(after, plain), _handed(after, cuts[1])),
            _within(after, pairs.depth) - _within(before, pairs.depth),
        )

    def _downstream(self, seed: int) -> dict[str, Any]:
        pairs = self.pairs
        assert pairs is not None
        told = Told([one.id for one in self.questions], [one.category for one in self.questions], seed)
        (table,) = tell([pairs], told)
        moved = (pairs.after[:, :2] - pairs.before[:, :2]) @ [1.0, 1e-6]  # by recall, then by rank
        order = sorted((-abs(gain), at) for at, gain in enumerate(moved.tolist()) if gain == gain and gain != 0)
        for name, sign in (("helpful", 1), ("harmful", -1)):
            rows = [at for _, at in order if moved[at] * sign > 0]
            table[f"n_{name}"] = len(rows)
            table[name] = [self._moved(at) for at in rows[:SHOWN]]
        table["by_class"] = self._by_class(pairs, seed)
        return table

    def _moved(self, at: int) -> dict[str, Any]:
        assert self.pairs is not None
        moved = (self.pairs.after[at] - self.pairs.before[at]).tolist()
        return {"id": self.questions[at].id} | {
            name: round(value, 12) for name, value in zip(self.pairs.names, moved, strict=True)
        }

    def _by_class(self, pairs: Pairs, seed: int) -> list[dict[str, Any]]:
        """Gains by called and true class, errors first, the commonest first."""
        views = [one.view for one in self.seen]
        guessed = {guess.row: (guess.called, guess.was) for guess in _guesses(self.questions, views)["complexity"]}
        found = Counter(pair for row, pair in guessed.items() if pair[1] and not pairs.excluded[row])
        rows = []
        for (called, was), n in sorted(found.items(), key=lambda one: (one[0][0] == one[0][1], -one[1], one[0])):
            mask = np.array([guessed.get(row) == (called, was) for row in range(pairs.n)], dtype=bool)
            (cells,) = cells_of([pairs], mask, seed)
            for cell in cells.values():
                del cell["verdict"], cell["p"]
            rows.append({"called": called, "was": was, "n": n, "small": n < SMALL, "measures": cells})
        return rows


def _guesses(questions: Sequence[Question], views: Sequence[QueryView | None]) -> dict[str, list[Guess]]:
    """What was said of each question, by kind of label; questions of which nothing was said are left out."""
    found: dict[str, list[Guess]] = {"complexity": [], "category": []}
    for row, (question, view) in enumerate(zip(questions, views, strict=True)):
        if view is None:
            continue
        calls = _classifier_calls(view)
        if view.tier not in ("", "none"):
            found["complexity"].append(Guess(row, view.complexity, question.complexity, view.tier, calls))
        if view.category_tier not in ("", "none"):
            found["category"].append(Guess(row, view.category, question.category, view.category_tier, calls))
    return found


def _classifier_calls(view: QueryView) -> int | None:
    """None: unknown. A trace that does not tell them apart tells them all the same where nothing was called."""
    return view.classifier_calls if view.classifier_calls is not None or view.usage.get("calls") else 0


def _cost(seen: Sequence[_Seen], ms: Mapping[str, float | None] | None) -> dict[str, Any]:
    there = [one for one in seen if one.view is not None]
    usage: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for one in there:
        assert one.view is not None
        usage.update({name: int(one.view.usage.get(name, 0)) for name in COUNTS})
        reasons.update([one.view.fallback] if one.view.fallback else [])
    n = len(there)
    unknown = ("prompt_tokens", "completion_tokens") if usage["untold"] else ()
    totals = {name: None if name in unknown else usage[name] for name in COUNTS}
    tokens = None if unknown else usage["prompt_tokens"] + usage["completion_tokens"]
    each = {"calls": usage["calls"], "tokens": tokens, "searches": sum(one.n_requests for one in there)}
    return {
        "n": n,
        **totals,
        "per_question": {name: None if total is None or not n else round(total / n, 6) for name, total in each.items()},
        "ms": dict(ms) if ms else None,
        "fallback_reasons": [list(pair) for pair in reasons.most_common(3)],
    }


def _excluded(case: Case) -> str:
    if Population.EVIDENCE in case.outside:
        return "no_evidence"
    trace = case.trace
    if trace is None:
        return "absent"
    if trace.query.clarify and not trace.steps:
        return "asked_back"
    if trace.error is not None and not trace.fused:
        return "failed"
    return "no_twin" if trace.untransformed is None else ""


def _within(ranks: Ranks, depth: int) -> int:
    return int(any(0 < rank <= depth for rank in ranks))


def _handed(ranks: Ranks, cut: int) -> float:
    return recall(gains(ranks), len(ranks), cut)
