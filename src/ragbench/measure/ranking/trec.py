"""Foreign runs against document or chunk ids: the classic forms, equal to trec_eval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragbench.errors import ConfigError
from ragbench.measure.name import MeasureName
from ragbench.measure.ranking.average_precision import average_precision
from ragbench.measure.ranking.mrr import reciprocal_rank
from ragbench.measure.ranking.ndcg import ndcg
from ragbench.measure.retrieval.hit import hit
from ragbench.measure.retrieval.precision import precision
from ragbench.measure.retrieval.recall import recall

Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class TrecScores:
    """Scores of one run: `per_query[measure][query]` for every query of the qrels with something relevant.

    `missing` queries are absent from the run and score 0; `unjudged` queries of the run have no qrels and
    `without_gold`
    ones have no relevant document: neither is scored. `n_duplicates` entries were dropped.
    """

    per_query: Mapping[str, Mapping[str, float]]
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    without_gold: tuple[str, ...]
    n_duplicates: int

    def mean(self, measure: str) -> float | None:
        """Mean over queries; None when there are none."""
        values = list(self.per_query[measure].values())
        return sum(values) / len(values) if values else None


def trec_order(scores: Mapping[str, float]) -> list[str]:
    """Ids as trec_eval sorts them: by score in single precision, descending, then by id, descending."""
    import numpy as np

    single = np.fromiter(scores.values(), dtype=np.float32, count=len(scores)).tolist()
    return [name for _, name in sorted(zip(single, scores), reverse=True)]


def score_run(run: Mapping[str, Sequence[str]], qrels: Qrels, measures: Sequence[str]) -> TrecScores:
    """Score rankings of ids, best first, for measures such as `ndcg@10`, `map`, `mrr`, `recall@5`, `precision@5`,
    `hit@5`.

    The order of the list is the truth (sort by `trec_order` first to follow a run file's scores). An id that comes
    again
    is dropped. Grades above 0 are relevant. Raises ConfigError for a measure it does not know.
    """
    functions = {name: _core(name) for name in measures}
    per_query: dict[str, dict[str, float]] = {name: {} for name in measures}
    n_duplicates = 0
    without_gold: list[str] = []
    for query, judged in qrels.items():
        ideal = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
        listed = run.get(query, ())
        distinct = list(dict.fromkeys(listed))
        n_duplicates += len(listed) - len(distinct)
        if not ideal:
            without_gold.append(query)
            continue
        gains = [max(judged.get(doc, 0), 0) for doc in distinct]
        for name, function in functions.items():
            per_query[name][query] = function(gains, ideal)
    return TrecScores(
        per_query=per_query,
        missing=tuple(query for query in qrels if query not in run),
        unjudged=tuple(query for query in run if query not in qrels),
        without_gold=tuple(without_gold),
        n_duplicates=n_duplicates,
    )


_Core = Callable[[Sequence[int], Sequence[int]], float]


def _core(text: str) -> _Core:
    name = MeasureName.parse(text)
    k = name.k
    plain: dict[str, _Core] = {
        "ndcg": lambda gains, ideal: ndcg(gains, ideal),
        "map": lambda gains, ideal: average_precision([int(gain > 0) for gain in gains], len(ideal)),
        "mrr": lambda gains, ideal: reciprocal_rank(gains),
    }
    if k is None and not name.layer and name.measure in plain:
        return plain[name.measure]
    if k is not None and not name.layer and name.measure in ("ndcg", "recall", "precision", "hit"):
        cut = k
        return {
            "ndcg": lambda gains, ideal: ndcg(gains, ideal, cut),
            "recall": lambda gains, ideal: recall([int(gain > 0) for gain in gains], len(ideal), cut),
            "precision": lambda gains, ideal: precision(gains, cut),
            "hit": lambda gains, ideal: hit(gains, cut),
        }[name.measure]
    raise ConfigError(
        f"measure {text!r} of a foreign run", expected="map, mrr, ndcg, ndcg@k, recall@k, precision@k or hit@k"
    )
