"""Scoring a run of 10 000 queries × 100 documents: ragbench against trec_eval (pytrec_eval) and ir_measures.

    python benchmarks/measures.py [--rounds 5] [--queries 10000] [--depth 100]

All three score the same dictionaries in memory, in turn, in one process, with the same seven measures; shown is the
median of the rounds in processor seconds, and how many times as long the others take. Every round's figures are
compared. `ties` rounds the scores to one decimal, so that every place is tied; `3 scores` and `1 score` have no other
values; `in order` lists the documents by score. The last line reads the run from a file, in processor seconds too.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytrec_eval

from ragbench.measure.ranking.trec import Over, score_run
from ragbench.trec.read import read_run
from ragbench.trec.write import write_run

NAMES = {
    "map": ("map", "AP"),
    "mrr": ("recip_rank", "RR"),
    "ndcg": ("ndcg", "nDCG"),
    "ndcg@10": ("ndcg_cut_10", "nDCG@10"),
    "recall@10": ("recall_10", "R@10"),
    "precision@10": ("P_10", "P@10"),
    "r_precision": ("Rprec", "Rprec"),
}
FAMILIES = {"map", "recip_rank", "ndcg", "ndcg_cut.10", "recall.10", "P.10", "Rprec"}
ROUNDED: dict[str, Callable[[float], float]] = {
    "ties": lambda score: round(score, 1),
    "3 scores": lambda score: float(int(score * 3)),
    "1 score": lambda score: 1.0,
}
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
Means = dict[str, float]


def world(queries: int, depth: int, order: str) -> tuple[Run, Qrels]:
    """Random scores, half of the judged documents among them; graded 0 to 2."""
    rng = random.Random(queries)
    docs = [f"doc{number:07d}" for number in range(max(200_000, 2 * depth))]
    run: Run = {}
    qrels: Qrels = {}
    for number in range(queries):
        found = rng.sample(docs, depth)
        judged = rng.sample(found, min(5, depth)) + rng.sample(docs, 5)
        qrels[f"q{number}"] = {doc: rng.choice([0, 1, 1, 2]) for doc in judged}
        scores = [rng.random() for _ in found]
        if order in ROUNDED:
            scores = [ROUNDED[order](score) for score in scores]
        if order == "in order":
            scores.sort(reverse=True)
        run[f"q{number}"] = dict(zip(found, scores))
    return run, qrels


def ours(run: Run, qrels: Qrels) -> Means:
    """Values of every query, and their means."""
    scores = score_run(run, qrels, list(NAMES), Over.ALL)
    assert len(scores.per_query["map"]) == len(qrels)
    return {name: scores.mean(name) or 0.0 for name in NAMES}


def trec_eval(run: Run, qrels: Qrels) -> Means:
    """Values of every query by pytrec_eval, and their means."""
    rows = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run).values()
    return {name: sum(row[theirs] for row in rows) / len(rows) for name, (theirs, _) in NAMES.items()}


def by_ir_measures(run: Run, qrels: Qrels) -> Means:
    """Values of every query by ir_measures, and their means."""
    parsed = {name: ir_measures.parse_measure(theirs) for name, (_, theirs) in NAMES.items()}
    found = ir_measures.calc(list(parsed.values()), qrels, run)
    assert len(list(found.per_query)) == len(NAMES) * len(qrels)
    return {name: found.aggregated[one] for name, one in parsed.items()}


def seconds(function: Callable[[Run, Qrels], Means], *inputs: Any) -> tuple[float, Means]:
    """Processor seconds of one call, and what it found."""
    started = time.process_time()
    found = function(*inputs)
    return time.process_time() - started, found


def compare(order: str, rounds: int, queries: int, depth: int) -> dict[str, float]:
    """Median seconds by tool, every round's means equal."""
    run, qrels = world(queries, depth, order)
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        truth: Means = {}
        for function in (ours, trec_eval, by_ir_measures):
            spent, found = seconds(function, run, qrels)
            taken.setdefault(function.__name__, []).append(spent)
            truth = truth or found
            assert all(abs(found[name] - truth[name]) < 1e-9 for name in NAMES), f"{function.__name__} differs"
    return {name: statistics.median(values) for name, values in taken.items()}


def reading(rounds: int, queries: int, depth: int) -> dict[str, float]:
    """Median seconds of reading the run from a file, by function; what is read is equal."""
    run, _ = world(queries, depth, "in order")
    taken: dict[str, list[float]] = {"read_run": [], "parse_run": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.txt"
        write_run(path, ((query, list(one.items())) for query, one in run.items()), "run")
        for _ in range(rounds):
            started = time.process_time()
            ours_read = read_run(path).run
            taken["read_run"].append(time.process_time() - started)
            with path.open(encoding="utf-8") as handle:
                started = time.process_time()
                theirs = pytrec_eval.parse_run(handle)
                taken["parse_run"].append(time.process_time() - started)
            assert ours_read == theirs
    return {name: statistics.median(values) for name, values in taken.items()}


def main() -> None:
    """One line an order of the documents."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--depth", type=int, default=100)
    args = parser.parse_args()
    print(f"{args.queries} queries x {args.depth} documents, {len(NAMES)} measures, median of {args.rounds}")
    for order in ("random", "in order", *ROUNDED):
        found = compare(order, args.rounds, args.queries, args.depth)
        base = found.pop("ours")
        others = ", ".join(f"{name} {spent:.3f} s ({spent / base:.1f}x)" for name, spent in found.items())
        print(f"{order:<9} ragbench {base:.3f} s, {others}")
    spent = reading(args.rounds, args.queries, args.depth)
    print(f"reading the file: ragbench {spent['read_run']:.2f} s, pytrec_eval {spent['parse_run']:.2f} s")


if __name__ == "__main__":
    main()
