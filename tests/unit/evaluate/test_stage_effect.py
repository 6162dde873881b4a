"""What fusion and reranking changed: small runs counted by hand."""

import pytest

from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.stage_effect import Compared, StageEffects, add_counts
from ragbench.evaluate.stage_effect_ranks import route_ranks
from ragbench.evaluate.stage_effect_read import comparisons, losses, over_better
from ragbench.evaluate.summary import How
from ragbench.measure.case import make_cases
from ragbench.records.search import RouteList, SearchRequest
from ragbench.retriever.dense import DenseRetriever
from ragbench.stats.paired import paired_difference
from ragbench.testing.cases import corpus, group, question, routes, trace, windows

TEXT = {
    "年假.md": "入职满一年享有十天年假。" * 10,
    "guide.md": "Full backups start at 02:00. " * 10,
    "混合.md": "SLA 为 99.95% " * 10,
}
CHUNKED = corpus(TEXT, [span for name, text in TEXT.items() for span in windows(name, text, 10)])
FIRST = {name: next(chunk.number for chunk in CHUNKED.chunks if chunk.doc_id == name) for name in TEXT}
RULES = DiagnosisRules(recall_k=3, k=2)
BOTH = Compared(reranks=True, routes=("dense", "sparse"), rrf_k=60)


def asked(name, doc="年假.md", **more):
    """A question whose evidence is the document's first chunk."""
    return question(name, [group((doc, 0, 10))], **more)


def lists(gold, rank, length=6):
    """Chunk numbers with `gold` at a rank (0: nowhere)."""
    others = [chunk.number for chunk in CHUNKED.chunks if chunk.number != gold and chunk.start > 20][:length]
    return others if rank == 0 else [*others[: rank - 1], gold, *others[rank - 1 :]][:length]


def told(questions, traces, compared=BOTH, seed=3, rules=RULES):
    effects = StageEffects(questions, rules, compared)
    for row, case in enumerate(make_cases(questions, [one for one in traces if one], CHUNKED)):
        effects.add(row, case)
    return effects.tell(seed, {"p50": 1.0, "p95": 2.0, "n": len(questions)})


def three():
    """Reranking takes evidence from rank 3 to 1, leaves one at 1, and takes one from 2 to 3."""
    questions = [asked("zh", category="change"), asked("en", "guide.md"), asked("混", "混合.md", language="mixed")]
    moves = [("年假.md", 3, 1), ("guide.md", 1, 1), ("混合.md", 2, 3)]
    traces = [
        trace(one.id, lists(FIRST[doc], before), lists(FIRST[doc], after),
              route_lists=routes(dense=lists(FIRST[doc], 1), sparse=lists(FIRST[doc], 0)))
        for one, (doc, before, after) in zip(questions, moves)
    ]  # fmt: skip
    return questions, traces


def test_reranking_is_told_before_and_after_on_the_same_pool():
    found = told(*three())["rerank"]
    mrr = found["measures"]["mrr"]
    assert mrr["before"] == pytest.approx((1 / 3 + 1 + 1 / 2) / 3)
    assert mrr["after"] == pytest.approx((1 + 1 + 1 / 3) / 3)
    assert (mrr["better"], mrr["equal"], mrr["worse"]) == (1, 1, 1)
    assert mrr["gain"] == pytest.approx(mrr["after"] - mrr["before"])
    recall = found["measures"]["recall@2"]
    assert (recall["before"], recall["after"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (found["rescued"], found["lost"], found["n"], found["depth"]) == (["zh"], ["混"], 3, 2)
    assert found["measures"]["hit@1"]["after"] == pytest.approx(2 / 3)


def test_the_interval_is_that_of_the_paired_differences_with_the_same_seed():
    found = told(*three(), seed=9)["rerank"]["measures"]["mrr"]
    alone = paired_difference([1 - 1 / 3, 0.0, 1 / 3 - 1 / 2], 9)
    assert (found["gain"], found["low"], found["high"]) == (alone.mean, alone.low, alone.high)
    assert told(*three(), seed=9) == told(*three(), seed=9)


def test_the_ceiling_is_the_head_in_the_best_order_and_says_how_much_was_realised():
    found = told(*three())["rerank"]["measures"]["mrr"]
    assert found["ceiling"] == 1.0
    assert found["realised"] == pytest.approx(found["gain"] / (1.0 - found["before"]))
    beyond = [asked("q")], [trace("q", lists(FIRST["年假.md"], 5), lists(FIRST["年假.md"], 5))]
    behind = told(*beyond)["rerank"]["measures"]["mrr"]
    assert (behind["ceiling"], behind["realised"]) == (pytest.approx(1 / 5), None), "no order of three reaches rank 5"


def test_regret_is_what_the_two_cuts_cost():
    questions = [asked(name) for name in "abcd"]
    moves = [(5, 5), (3, 3), (1, 1), (0, 0)]  # behind recall_k 3, behind k 2, found, in no list
    gold = FIRST["年假.md"]
    traces = [trace(one.id, lists(gold, a), lists(gold, b)) for one, (a, b) in zip(questions, moves)]
    found = told(questions, traces)["rerank"]
    expected = {"pool": 0.75, "behind_recall_k": 0.25, "behind_k": 0.25, "dropped": 0.0, "found": 0.25}
    assert {name: found["regret"][name] for name in expected} == expected
    assert (found["regret"]["behind_recall_k_ids"], found["regret"]["behind_k_ids"]) == (["a"], ["b"])
    assert found["measures"]["recall@2"]["after"] == 0.25


def test_evidence_that_the_reranker_dropped_is_behind_k_and_said_to_be_dropped():
    gold = FIRST["年假.md"]
    dropped = trace("q", lists(gold, 2), [number for number in lists(gold, 2) if number != gold])
    found = told([asked("q")], [dropped])["rerank"]
    assert (found["regret"]["behind_k"], found["regret"]["dropped"], found["regret"]["found"]) == (1.0, 1.0, 0.0)
    assert found["lost"] == ["q"]


def test_who_is_not_compared_is_counted_by_reason():
    questions = [asked("in"), question("unanswerable"), asked("absent"), asked("failed"), asked("late")]
    traces = [
        trace("in", lists(FIRST["年假.md"], 1), route_lists=routes(dense=[1], sparse=[1])),
        trace("unanswerable", [1, 2], [2, 1]),
        None,
        trace("failed", error="ConnectError: refused"),
        trace("late", lists(FIRST["年假.md"], 2), lists(FIRST["年假.md"], 1), error="the generator broke"),
    ]
    found = told(questions, traces)
    assert found["rerank"]["excluded"] == {"absent": 1, "failed": 1, "no_evidence": 1}
    assert found["rerank"]["n"] == 2, "an error after reranking does not undo it"
    assert found["fusion"]["routes"]["dense"]["excluded"] == {
        "absent": 1, "failed": 1, "no_evidence": 1, "not_searched": 1,
    }  # fmt: skip


def test_a_stage_that_is_not_there_is_missing_and_not_nought():
    found = told(*three(), Compared(reranks=False, routes=("dense",), rrf_k=60))
    assert (found["fusion"], found["rerank"]) == (None, None)
    assert comparisons(found) == [] and losses(found) == [] and over_better(found, "mrr") is None
    assert comparisons(None) == []


def test_a_run_where_nothing_can_be_compared_has_no_figures():
    found = told([question("q")], [trace("q", [1, 2], [2, 1])])["rerank"]
    cell = found["measures"]["mrr"]
    assert (found["n"], cell["before"], cell["gain"], cell["low"], cell["verdict"]) == (0, None, None, None, None)
    assert (found["regret"]["pool"], found["regret"]["found"], found["regret"]["behind_k_ids"]) == (None, None, [])
    assert found["by_category"] == {}


def test_fusion_is_compared_with_each_route_alone():
    questions = [asked(f"q{at}") for at in range(4)]
    gold = FIRST["年假.md"]
    places = [(1, 0), (2, 0), (0, 1), (4, 5)]  # dense and sparse rank; fused always 2
    traces = [
        trace(one.id, lists(gold, 2), route_lists=routes(dense=lists(gold, a), sparse=lists(gold, b)))
        for one, (a, b) in zip(questions, places)
    ]
    found = told(questions, traces, Compared(reranks=False, routes=("dense", "sparse"), rrf_k=60))
    dense, sparse = (found["fusion"]["routes"][route] for route in ("dense", "sparse"))
    assert dense["measures"]["mrr"]["before"] == pytest.approx((1 + 1 / 2 + 0 + 1 / 4) / 4)
    assert (dense["rescued"], dense["lost"], dense["depth"]) == (["q2", "q3"], [], 2)
    assert sparse["rescued"] == ["q0", "q1", "q3"]
    assert found["fusion"]["better"]["mrr"] == "dense"
    route, cell = over_better(found, "mrr")
    assert route == "dense" and cell["gain"] == pytest.approx(0.5 - 1.75 / 4)


def test_behind_a_fusion_that_is_reranked_the_depth_is_what_the_reranker_sees():
    found = told(*three())["fusion"]["routes"]["dense"]
    assert found["depth"] == RULES.recall_k and list(found["measures"])[-1] == "recall@3"


@pytest.mark.parametrize("weights", [(1.0, 1.0), (2.0, 0.5)])
def test_lists_of_several_requests_are_joined_as_the_route_alone_would_join_them(weights):
    forms = [RouteList("dense", at, tuple(lists(FIRST["年假.md"], rank)), tuple(range(6, 0, -1)), weight)
             for at, (rank, weight) in enumerate(zip((4, 2), weights))]  # fmt: skip
    requests = (SearchRequest("年假有多少天", tenant=None), SearchRequest("annual leave", tenant=None))
    made = trace("q", [1, 2], route_lists=tuple(forms), requests=requests)
    (case,) = make_cases([asked("q")], [made], CHUNKED)
    joined = [hit.chunk for hit in DenseRetriever(rrf_k=60).fuse(forms)]
    assert route_ranks(case, "dense", 60) == (joined.index(FIRST["年假.md"]) + 1,)
    assert route_ranks(case, "sparse", 60) is None


def falling(n, category, before=1, after=2):
    gold = FIRST["年假.md"]
    questions = [asked(f"{category}{at}", category=category) for at in range(n)]
    return questions, [trace(one.id, lists(gold, before), lists(gold, after)) for one in questions]


def test_a_regression_is_proven_overall_and_by_category_and_a_small_category_cannot_tell():
    many, few, good = falling(30, "many"), falling(4, "few"), falling(30, "good", 2, 1)
    found = told([*many[0], *few[0], *good[0]], [*many[1], *few[1], *good[1]])
    cells = {name: row["measures"]["mrr"] for name, row in found["rerank"]["by_category"].items()}
    assert {name: cell["verdict"] for name, cell in cells.items()} == {
        "many": "regression", "few": "cannot_tell", "good": None,
    }  # fmt: skip
    assert not told(*falling(5, "five"))["rerank"]["by_category"]["five"]["small"]
    assert found["rerank"]["by_category"]["few"]["small"] and not found["rerank"]["by_category"]["many"]["small"]
    assert found["rerank"]["tests"] == 2 * 5, "two categories of five and more, five measures"
    assert 0 < cells["many"]["p"] < 0.05 and cells["good"]["p"] is None
    fell = losses(found)
    assert [loss.proven for loss in fell] == sorted((loss.proven for loss in fell), reverse=True)
    assert {(loss.category, loss.measure) for loss in fell if loss.proven} >= {("many", "mrr"), ("many", "hit@1")}
    assert told(*falling(30, "many"))["rerank"]["measures"]["mrr"]["verdict"] == "regression"


def test_a_fall_within_chance_cannot_tell():
    falls, rises = falling(3, "a"), falling(2, "a", 2, 1)
    renamed = [asked(f"r{at}", category="a") for at in range(2)]
    moved = [trace(one.id, lists(FIRST["年假.md"], 2), lists(FIRST["年假.md"], 1)) for one in renamed]
    found = told([*falls[0], *renamed], [*falls[1], *moved])["rerank"]
    assert rises and found["measures"]["mrr"]["verdict"] == "cannot_tell"
    assert found["by_category"]["a"]["measures"]["mrr"]["verdict"] == "cannot_tell"


def test_correction_over_measures_and_categories_spares_what_one_interval_would_blame():
    questions, traces = falling(6, "odd")
    others = [falling(8, f"c{at}", 1, 1) for at in range(9)]
    found = told(
        [*questions, *(q for one, _ in others for q in one)], [*traces, *(t for _, one in others for t in one)]
    )
    cell = found["rerank"]["by_category"]["odd"]["measures"]["mrr"]
    assert cell["high"] < 0 and cell["p"] > 0.05 and cell["verdict"] == "cannot_tell"


def test_costs_are_the_counts_of_the_reranker_and_nothing_else():
    found = told(*three())
    add_counts(found, {"pairs": 60, "failures": ["no"], "calls": 3})
    assert found["rerank"]["cost"] == {"ms": {"p50": 1.0, "p95": 2.0, "n": 3}, "counts": {"pairs": 60, "calls": 3}}
    add_counts(None, {"pairs": 1})
    add_counts({"rerank": None}, {"pairs": 1})


def test_the_figures_are_those_of_the_layers_before_and_after():
    questions, traces = three()
    how = How(measures=None, judged=(), seed=0, rules=RULES, compared=BOTH)
    scorer = RunScorer(questions, CHUNKED, how)
    for one in traces:
        scorer.add(one)
    found = scorer.finish()
    for name in ("mrr", "map", "ndcg@10"):
        cell = found.stages["rerank"]["measures"][name]
        assert cell["before"] == pytest.approx(found.summary.overall[f"retrieval/{name}"].mean)
        assert cell["after"] == pytest.approx(found.summary.overall[f"ranking/{name}"].mean)
    assert found.to_json()["stages"] == found.stages
    assert RunScorer(questions, CHUNKED, How(None, (), 0, RULES)).finish().to_json()["stages"] is None
