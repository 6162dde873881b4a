"""Foreign runs against document or chunk ids: the classic forms, equal to trec_eval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ragbench.errors import ConfigError
from ragbench.measure.name import MeasureName
from ragbench.measure.ranking import batch
from ragbench.measure.ranking.found import Floats, Found, Grades, Ranked, Scored

Qrels = Mapping[str, Grades]
Run = Mapping[str, Scored] | Mapping[str, Ranked]


class Over(StrEnum):
    """Which queries a mean is over, in the order of the qrels."""

    GOLD = "gold"
    """Queries with a relevant document; those absent from the run count 0."""
    ALL = "all"
    """All queries of the qrels, as `trec_eval -c`: those without a relevant document count 0 too."""
    RUN = "run"
    """Queries that both files hold, as trec_eval without `-c`."""


_PLAIN: Mapping[str, batch.Batch] = {
    "ndcg": batch.ndcg,
    "map": batch.average_precision,
    "mrr": batch.reciprocal_rank,
    "r_precision": batch.r_precision,
}
_CUT: Mapping[str, batch.Batch] = {
    "ndcg": batch.ndcg,
    "map": batch.average_precision,
    "mrr": batch.reciprocal_rank,
    "recall": batch.recall,
    "precision": batch.precision,
    "hit": batch.hit,
    "context_precision": batch.context_precision,
}


@dataclass(frozen=True, slots=True, eq=False)
class TrecScores:
    """Scores of one run.

    `values[measure]` is [queries]. Of the qrels, `without_gold` queries have no relevant document and `missing` ones
    are absent from the run (with `Over.GOLD` only those that count); `unjudged` queries of the run are absent from the
    qrels and never scored. `n_duplicates` entries were dropped.
    """

    queries: tuple[str, ...]
    values: Mapping[str, Floats]
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    without_gold: tuple[str, ...]
    n_duplicates: int

    @property
    def per_query(self) -> dict[str, dict[str, float]]:
        """`[measure][query]`."""
        return {name: dict(zip(self.queries, column.tolist())) for name, column in self.values.items()}

    def mean(self, measure: str) -> float | None:
        """Mean over the queries; None when there are none."""
        column = self.values[measure]
        return float(column.mean()) if len(column) else None


def score_run(run: Run, qrels: Qrels, measures: Sequence[str], over: Over = Over.GOLD) -> TrecScores:
    """Score a run for measures such as `ndcg@10`, `map`, `mrr`, `recall@5`, `precision@5`, `hit@5`, `r_precision`.

    A run holds for each query the scores of documents by id, which are put into trec_eval's order (score in single
    precision, then id, both descending), or a list of ids whose order is the truth; there an id that comes again is
    dropped. Grades above 0 are relevant. Raises ConfigError for a measure it does not know.
    """
    functions = {name: _function(name) for name in measures}
    queries = list(qrels)
    found, n_duplicates = _found(run, qrels)
    has_gold = found.n_relevant > 0
    chosen = {
        Over.GOLD: has_gold,
        Over.ALL: np.ones(len(queries), dtype=bool),
        Over.RUN: np.fromiter((query in run for query in queries), bool, len(queries)),
    }[over]
    return TrecScores(
        queries=tuple(query for query, one in zip(queries, chosen.tolist()) if one),
        values={name: function(found, k)[chosen] for name, (function, k) in functions.items()},
        missing=tuple(
            query
            for query, some in zip(queries, has_gold.tolist())
            if query not in run and (some or over is not Over.GOLD)
        ),
        unjudged=tuple(query for query in run if query not in qrels),
        without_gold=tuple(query for query, some in zip(queries, has_gold.tolist()) if not some),
        n_duplicates=n_duplicates,
    )


def check_measures(names: Sequence[str]) -> None:
    """Raise ConfigError for a name that is no measure of a foreign run."""
    for name in names:
        _function(name)


def _found(run: Run, qrels: Qrels) -> tuple[Found, int]:
    """What the run found of each query of the qrels, and how many entries were dropped."""
    judged = list(qrels.values())
    if any(isinstance(one, Mapping) for one in run.values()):
        scores: list[Scored] = [run.get(query, {}) for query in qrels]  # type: ignore[misc]
        return Found.of_scores(scores, judged), 0
    listed: list[Ranked] = [run.get(query, ()) for query in qrels]  # type: ignore[misc]
    distinct = [list(dict.fromkeys(one)) for one in listed]
    return Found.of_lists(distinct, judged), sum(map(len, listed)) - sum(map(len, distinct))


def _function(text: str) -> tuple[batch.Batch, int | None]:
    try:
        name = MeasureName.parse(text)
    except ConfigError:
        name = MeasureName("", "")
    known = _PLAIN if name.k is None else _CUT
    if name.layer or name.measure not in known:
        spelt = ", ".join([*_PLAIN, *(f"{one}@k" for one in _CUT)])
        hint = "trec_eval's P_5 is precision@5, success_5 hit@5, recip_rank mrr, Rprec r_precision."
        raise ConfigError(f"measure {text!r} of a foreign run", expected=f"one of {spelt}", hint=hint)
    return known[name.measure], name.k
