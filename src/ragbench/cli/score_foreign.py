"""A foreign run and its qrels, scored."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import note, say, say_json
from ragbench.errors import DataError

if TYPE_CHECKING:
    from ragbench.measure.ranking.trec import TrecScores
    from ragbench.trec.read import Qrels, QrelsFile, RunFile

_SHOWN = 3


def score_foreign(args: argparse.Namespace, names: Sequence[str]) -> int:
    """Print the means with 95 % intervals, or JSON with the value of each query; what was dropped or absent beside."""
    from ragbench.measure.ranking.trec import Over, check_measures, score_run
    from ragbench.trec.read import Order, read_qrels, read_run

    check_measures(names)
    run, qrels = read_run(args.trec, Order(args.order)), read_qrels(args.qrels)
    qrels = replace(qrels, grades=_as_columns(qrels.grades))
    _refuse_strangers(run, qrels, args)
    scores = score_run(run.run, qrels.grades, names, Over(args.mean_over))
    found = _figures(scores, run, names)
    for line in _notes(scores, run, qrels, args):
        note(f"note: {line}")
    if args.json:
        per_query = scores.per_query
        say_json({name: found[name] | {"per_query": per_query[name]} for name in names})
        return 0
    width = max(map(len, names), default=0)
    say(f"{'measure':<{width}}    mean    95 % interval   queries")
    for name in names:
        row = found[name]
        figures = (
            "     –                "
            if row["mean"] is None
            else f"{row['mean']:8.4f}  {row['low']:.4f} – {row['high']:.4f}"
        )
        say(f"{name:<{width}}{figures}   {row['n_queries']:>7}")
    return 0


def _as_columns(grades: Qrels) -> Qrels:
    """Judgements with ids as they can stand in a run: only BEIR's may hold blanks."""
    from ragbench.trec.write import source_token

    return {
        source_token(query): {source_token(doc): grade for doc, grade in own.items()} for query, own in grades.items()
    }


def _figures(scores: TrecScores, run: RunFile, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Mean, interval and counts by measure."""
    import numpy as np

    from ragbench.stats.bootstrap import mean_intervals

    values = np.stack([scores.values[name] for name in names], axis=1)
    found = mean_intervals(values, np.ones(values.shape, dtype=bool), 0)
    counts = {
        "n_queries": len(scores.queries),
        "n_missing": len(scores.missing),
        "n_without_gold": len(scores.without_gold),
        "n_unjudged": len(scores.unjudged),
        "n_duplicates": run.n_duplicates,
    }
    some = len(scores.queries) > 0
    return {
        name: {
            "mean": scores.mean(name),
            "low": float(found.low[at]) if some else None,
            "high": float(found.high[at]) if some else None,
            **counts,
        }
        for at, name in enumerate(names)
    }


def _refuse_strangers(run: RunFile, qrels: QrelsFile, args: argparse.Namespace) -> None:
    """Raise DataError when no query is in both files."""
    if run.run.keys().isdisjoint(qrels.grades):
        raise DataError(
            str(args.trec),
            expected=f"queries of {args.qrels}, as {next(iter(qrels.grades))!r}",
            found=f"none of them, but {next(iter(run.run))!r}",
            hint="Ids must be equal character by character.",
        )


def _notes(scores: TrecScores, run: RunFile, qrels: QrelsFile, args: argparse.Namespace) -> Iterator[str]:
    absent = {"gold": "they count 0", "all": "they count 0", "run": "left out"}[args.mean_over]
    if scores.missing:
        yield f"{_some('query', scores.missing)} of the qrels not in the run: {absent}"
    if scores.without_gold:
        kept = "left out" if args.mean_over == "gold" else "they count 0"
        yield f"{_some('query', scores.without_gold)} of the qrels without a relevant document: {kept}"
    if scores.unjudged:
        yield f"{_some('query', scores.unjudged)} of the run not in the qrels: left out"
    if run.n_duplicates:
        yield f"duplicates dropped from the run: {run.n_duplicates}"
    if qrels.n_duplicates:
        others = f", {len(qrels.conflicts)} with another grade: the first counts" if qrels.conflicts else ""
        yield f"duplicates dropped from the qrels: {qrels.n_duplicates}{others}"
    if run.reordered:
        followed = "the scores are followed, as trec_eval does (--order rank follows the ranks)"
        followed = followed if args.order == "score" else "the ranks are followed (trec_eval follows the scores)"
        yield f"ranks and scores disagree in {_some('query', run.reordered)}: {followed}"
    if run.n_comments + qrels.n_comments:
        yield f"lines skipped that begin with # and are no rows: {run.n_comments + qrels.n_comments}"
    if _no_document_in_common(run, qrels):
        yield "no document of the qrels is in the run: are the ids of one collection, written alike?"


def _no_document_in_common(run: RunFile, qrels: QrelsFile) -> bool:
    return all(set(run.run.get(query, ())).isdisjoint(own) for query, own in qrels.grades.items())


def _some(kind: str, names: Sequence[str]) -> str:
    """A count with the first names."""
    kinds = kind if len(names) == 1 else "queries"
    more = ", …" if len(names) > _SHOWN else ""
    return f"{len(names)} {kinds} ({', '.join(names[:_SHOWN])}{more})"
