"""The pure functions of a list of gains: worked examples and bounds."""

import random
from math import log2

import pytest

from ragbench.errors import ConfigError
from ragbench.measure.ranking.average_precision import average_precision
from ragbench.measure.ranking.context_precision import context_precision
from ragbench.measure.ranking.found import trec_order
from ragbench.measure.ranking.mrr import reciprocal_rank
from ragbench.measure.ranking.ndcg import dcg, group_ndcg, ndcg
from ragbench.measure.ranking.trec import Over, score_run
from ragbench.measure.retrieval.hit import hit
from ragbench.measure.retrieval.precision import precision
from ragbench.measure.retrieval.r_precision import r_precision
from ragbench.measure.retrieval.recall import recall


def test_mrr_of_first_relevant_at_ranks_1_3_2():
    lists = [[1], [0, 0, 1], [0, 1]]
    assert sum(map(reciprocal_rank, lists)) / 3 == pytest.approx(0.6111, abs=5e-5)
    assert reciprocal_rank([]) == 0.0


def test_ap_of_relevant_at_1_and_3_of_2():
    assert average_precision([1, 0, 1], 2) == pytest.approx(0.8333, abs=5e-5)


def test_ap_divides_by_all_relevant_not_by_hits_found():
    assert average_precision([1], 5) == pytest.approx(0.2)


def test_precision_divides_by_k_even_when_fewer_hits_return():
    assert precision([1, 1], 5) == pytest.approx(0.4)
    assert precision([], 5) == 0.0


def test_r_precision_cuts_at_the_number_of_relevant_things():
    assert r_precision([1, 0, 1, 1], 3) == pytest.approx(2 / 3)
    assert r_precision([0, 1], 1) == 0.0
    assert r_precision([2], 2) == 1.0
    assert r_precision([], 4) == 0.0


def test_hit_recall_and_their_cut():
    assert (hit([0, 0, 1], 2), hit([0, 0, 1], 3)) == (0.0, 1.0)
    assert (recall([1, 0, 1], 4, 2), recall([1, 0, 1], 4, 10)) == (0.25, 0.5)


def test_ndcg_is_linear_in_gain():
    assert dcg([3, 0, 1]) == pytest.approx(3 + 1 / log2(4))
    assert ndcg([1, 3], [3, 1], 2) == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))
    assert ndcg([], [1]) == 0.0


def test_one_chunk_with_all_groups_is_as_good_as_the_ideal_and_never_better():
    assert group_ndcg([2], 2, 10) == pytest.approx(1.0)
    assert group_ndcg([1, 1], 2, 10) == pytest.approx(1.0)
    assert group_ndcg([3], 3, 1) == pytest.approx(1.0)
    assert average_precision([2], 2) == pytest.approx(1.0)
    assert group_ndcg([0, 2], 2, 10) < 1.0


def test_context_precision_weighs_by_rank():
    assert context_precision([1, 0, 1], 5) == pytest.approx((1 + 2 / 3) / 2)
    assert context_precision([0, 0, 1], 2) == 0.0


@pytest.mark.parametrize(
    "function",
    [
        lambda: recall([], 0, 5),
        lambda: r_precision([], 0),
        lambda: average_precision([], 0),
        lambda: ndcg([], []),
        lambda: group_ndcg([], 0, 5),
    ],
)
def test_nothing_relevant_has_no_value(function):
    with pytest.raises(ValueError, match="without evidence"):
        function()


def test_every_value_stays_in_bounds_whatever_the_gains():
    rng = random.Random(5)
    for _ in range(2000):
        n = rng.randint(1, 6)
        ranks = [rng.randint(0, 12) for _ in range(n)]
        gains = [ranks.count(rank) for rank in range(1, 13)]
        k = rng.randint(1, 14)
        for value in (
            recall(gains, n, k),
            r_precision(gains, n),
            average_precision(gains, n),
            group_ndcg(gains, n, k),
            reciprocal_rank(gains),
            precision(gains, k),
            context_precision(gains, k),
        ):
            assert 0.0 <= value <= 1.0 + 1e-12


def test_moving_evidence_up_never_lowers_a_set_level_measure():
    rng = random.Random(6)
    for _ in range(500):
        n = rng.randint(1, 5)
        ranks = [rng.randint(1, 12) for _ in range(n)]
        better = list(ranks)
        at = rng.randrange(n)
        better[at] = rng.randint(1, better[at])
        worse_gains, better_gains = ([r.count(rank) for rank in range(1, 13)] for r in (ranks, better))
        assert average_precision(better_gains, n) >= average_precision(worse_gains, n) - 1e-12
        assert group_ndcg(better_gains, n, 10) >= group_ndcg(worse_gains, n, 10) - 1e-12


def test_a_duplicate_in_a_foreign_run_is_dropped_and_counted():
    found = score_run({"q": ["d", "d", "d"]}, {"q": {"d": 1, "e": 1}}, ["recall@5", "ndcg@10", "map", "precision@5"])
    assert found.n_duplicates == 2
    assert found.per_query["recall@5"]["q"] == 0.5
    assert found.per_query["precision@5"]["q"] == pytest.approx(0.2)
    assert all(values["q"] <= 1 for values in found.per_query.values())


def test_absent_queries_count_0_and_queries_without_gold_do_not_count():
    qrels = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 0}}
    found = score_run({"a": ["d"], "c": ["d"], "x": ["d"]}, qrels, ["recall@1"])
    assert found.per_query["recall@1"] == {"a": 1.0, "b": 0.0}
    assert (found.missing, found.without_gold, found.unjudged) == (("b",), ("c",), ("x",))
    assert found.mean("recall@1") == 0.5
    assert score_run({}, {}, ["map"]).mean("map") is None


def test_the_mean_may_be_over_other_queries():
    qrels = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 0}}
    run = {"a": ["d"], "c": ["d"], "x": ["d"]}
    means = {over: score_run(run, qrels, ["recall@1"], over).mean("recall@1") for over in Over}
    assert means == {Over.GOLD: 0.5, Over.ALL: pytest.approx(1 / 3), Over.RUN: 0.5}
    assert score_run(run, qrels, ["recall@1"], Over.RUN).queries == ("a", "c")


def test_a_list_and_the_scores_that_say_the_same_order_score_the_same():
    names = ["ndcg", "map", "mrr", "r_precision", "context_precision@2"]
    qrels = {"问": {"甲": 2, "b": 1, "c": 0}, "q": {"b": 1}}
    lists = {"问": ["c", "b", "甲"], "q": ["c", "甲"]}
    scores = {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in lists.items()}
    assert score_run(lists, qrels, names).per_query == score_run(scores, qrels, names).per_query
    assert score_run(lists, qrels, names).per_query["context_precision@2"] == {"问": 0.5, "q": 0.0}


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="no number"):
        score_run({"q": {"d": float("nan")}}, {"q": {"d": 1}}, ["map"])


def test_order_is_by_score_then_by_id_descending():
    assert trec_order({"a": 1.0, "b": 1.0, "c": 2.0, "d": 0.5}) == ["c", "b", "a", "d"]
    assert trec_order({"a": 1.0 + 1e-12, "b": 1.0}) == ["b", "a"]
    assert trec_order({}) == []
    assert trec_order({"b": 0.0, "a": -0.0, "c": -1e-40, "d": 1e39, "e": float("inf"), "f": -float("inf")}) == [
        "e", "d", "b", "a", "c", "f",
    ]  # fmt: skip
    assert trec_order({"年": 1.0, "制": 1.0, "a": 1.0, "𠀀": 1.0, "～": 1.0}) == ["𠀀", "～", "年", "制", "a"]


@pytest.mark.parametrize("name", ["recall", "r_precision@5", "nDCG@10", "ndcg@0", "retrieval/recall@5", "bpref"])
def test_an_unknown_measure_of_a_foreign_run_is_refused(name):
    with pytest.raises(ConfigError, match="foreign run"):
        score_run({}, {}, [name])
