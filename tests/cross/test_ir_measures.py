"""The ranking functions against trec_eval (through ir_measures and pytrec_eval), on random rankings."""

import random

import pytest

from ragbench.measure.ranking.ndcg import group_ndcg, ndcg
from ragbench.measure.ranking.trec import score_run, trec_order

ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

NAMES = {
    "map": "AP",
    "mrr": "RR",
    "ndcg": "nDCG",
    **{f"ndcg@{k}": f"nDCG@{k}" for k in (1, 3, 5, 10, 20)},
    **{f"recall@{k}": f"R@{k}" for k in (1, 5, 20)},
    **{f"precision@{k}": f"P@{k}" for k in (1, 5, 20)},
    **{f"hit@{k}": f"Success@{k}" for k in (1, 5)},
}


def random_world(seed, n_queries=40):
    rng = random.Random(seed)
    qrels, run = {}, {}
    for query in range(n_queries):
        docs = [f"d{at}" for at in range(60)]
        judged = rng.sample(docs, rng.randint(1, 15))
        grades = {doc: rng.choice([0, 1, 1, 2, 3]) for doc in judged}
        grades[judged[0]] = max(grades[judged[0]], 1)
        qrels[f"q{query}"] = grades
        if query % 9:
            run[f"q{query}"] = rng.sample(docs, rng.randint(0, 40)) or ["unjudged"]
    return qrels, run


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_ir_measures_to_1e9(seed):
    qrels, run = random_world(seed)
    ours = score_run(run, qrels, list(NAMES))
    scored = {query: {doc: float(len(docs) - rank) for rank, doc in enumerate(docs)} for query, docs in run.items()}
    oracle = {theirs: ir_measures.parse_measure(theirs) for theirs in NAMES.values()}
    found = {
        (str(metric.measure), metric.query_id): metric.value
        for metric in ir_measures.iter_calc(list(oracle.values()), qrels, scored)
    }
    for name, theirs in NAMES.items():
        for query, value in ours.per_query[name].items():
            assert value == pytest.approx(found[str(oracle[theirs]), query], abs=1e-9), (name, query)
        mean = ir_measures.calc_aggregate([oracle[theirs]], qrels, scored)[oracle[theirs]]
        assert ours.mean(name) == pytest.approx(mean, abs=1e-9), name


@pytest.mark.parametrize("seed", range(3))
def test_ties_are_broken_as_trec_eval_does(seed):
    rng = random.Random(seed)
    qrels, run = random_world(seed)
    tied = {query: {doc: rng.choice([0.1, 0.25, 0.25 + 1e-10, 1.0]) for doc in docs} for query, docs in run.items()}
    measures = {"map": "map", "recip_rank": "mrr", "ndcg_cut_5": "ndcg@5", "P_5": "precision@5"}
    found = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recip_rank", "ndcg_cut.5", "P.5"}).evaluate(tied)
    ours = score_run({query: trec_order(scores) for query, scores in tied.items()}, qrels, list(measures.values()))
    for theirs, name in measures.items():
        for query in tied:
            assert ours.per_query[name][query] == pytest.approx(found[query][theirs], abs=1e-9), (name, query)


def test_duplicates_are_dropped_before_scoring():
    qrels, run = random_world(11)
    doubled = {query: [doc for doc in docs for _ in range(2)] for query, docs in run.items()}
    once, twice = score_run(run, qrels, list(NAMES)), score_run(doubled, qrels, list(NAMES))
    assert once.per_query == twice.per_query
    assert twice.n_duplicates == sum(len(docs) for query, docs in run.items())


def test_group_ndcg_is_plain_ndcg_where_each_rank_earns_one_group():
    rng = random.Random(2)
    for _ in range(300):
        gains = [rng.choice([0, 0, 1]) for _ in range(20)]
        n = sum(gains) + rng.randint(0, 3)
        if n:
            for k in (1, 5, 10):
                assert group_ndcg(gains, n, k) == pytest.approx(ndcg(gains, [1] * n, k), abs=1e-12)
