"""The one-shot flow: what it asks of a bench, and what becomes of an exception."""

import pytest

from ragbench.errors import CannotOpen, ConfigError, StoreError
from ragbench.flow.base import Cuts
from ragbench.flow.one_shot import OneShotFlow
from ragbench.records.question import Question
from ragbench.records.search import Ranked, RouteList, SearchRequest
from ragbench.records.trace import Answer, PackedContext, QueryView

STAGES = ("plan", "retrieve", "fuse", "rerank", "pack", "generate")
QUESTIONS = [
    Question(id="a", question="年假几天？"),
    Question(id="b", question="How long?"),
    Question(id="c", question="SLA 是多少"),
]
REWRITTEN = (SearchRequest("rewritten"),)
FUSED = tuple(Ranked(number, 1 / (number + 1), number + 1) for number in range(6))
RERANKED = tuple(Ranked(item.chunk, item.score, rank, item.rank) for rank, item in enumerate(reversed(FUSED), 1))


class Bench:
    """Records what it is asked; raises `error` in one stage of one question."""

    def __init__(self, stage="", question="", error=None, requests=REWRITTEN):
        self.failing, self.error, self.requests = (stage, question), error, requests
        self.asked = []
        self.current = ""

    def _note(self, stage, times, *facts):
        self.asked.append((stage, *facts))
        times[stage] = 1.0
        if (stage, self.current) == self.failing:
            raise self.error

    def plan(self, question, times):
        self.current = question.id
        self._note("plan", times, question.id)
        return QueryView("simple_lookup", "rules", 1.0), self.requests

    def retrieve(self, requests, depth, times):
        self._note("retrieve", times, depth)
        return (RouteList("sparse", 0, (0, 1), (2.0, 1.0)),)

    def fuse(self, lists, times):
        self._note("fuse", times, len(lists))
        return FUSED

    def rerank(self, text, ranking, recall_k, times):
        self._note("rerank", times, text, len(ranking), recall_k)
        return RERANKED

    def pack(self, ranking, times):
        self._note("pack", times, ranking)
        return PackedContext(tokens=7)

    def generate(self, question, context, times):
        self._note("generate", times, question.id, context.tokens)
        return Answer("yes")


def flow(k=2, recall_k=4, pool_depth=6):
    return OneShotFlow(k=k, recall_k=recall_k, pool_depth=pool_depth)


def test_each_stage_gets_its_cut():
    bench = Bench()
    (trace,) = flow().run(QUESTIONS[:1], bench)
    assert bench.asked == [
        ("plan", "a"), ("retrieve", 6), ("fuse", 1), ("rerank", "rewritten", 6, 4), ("pack", RERANKED[:2]), ("generate", "a", 7),
    ]  # fmt: skip
    assert trace.error is None
    assert (trace.fused, trace.reranked) == (FUSED, RERANKED)
    assert trace.answer == Answer("yes")
    assert trace.query == QueryView("simple_lookup", "rules", 1.0)
    assert trace.timings_ms == dict.fromkeys(STAGES, 1.0)
    assert flow().cuts == Cuts(pool_depth=6, recall_k=4, k=2)


def test_without_a_request_the_question_itself_is_reranked():
    bench = Bench(requests=())
    next(iter(flow().run(QUESTIONS[:1], bench)))
    assert ("rerank", "年假几天？", 6, 4) in bench.asked


@pytest.mark.parametrize("stage", STAGES)
def test_an_exception_is_the_questions_own_and_what_was_reached_is_kept(stage):
    traces = list(flow().run(QUESTIONS, Bench(stage, "b", RuntimeError("no\n  luck"))))
    assert [trace.question_id for trace in traces] == ["a", "b", "c"]
    assert [trace.error for trace in traces] == [None, "RuntimeError: no luck", None]
    failed = traces[1]
    reached = STAGES.index(stage)
    assert (failed.query.tier == "rules") is (reached > 0)
    assert (failed.fused == FUSED) is (reached > 2)
    assert (failed.reranked == RERANKED) is (reached > 3)
    assert bool(failed.reranked) is (reached > 3), "a ranking that was not made is not the one before it"
    assert (failed.context is not None) is (reached > 4)
    assert failed.answer is None
    assert failed.timings_ms.keys() == set(STAGES[: reached + 1])
    assert traces[0].answer == traces[2].answer == Answer("yes")


@pytest.mark.parametrize(
    "error", [CannotOpen("reranker", ValueError("no model")), StoreError("disk full"), KeyboardInterrupt()]
)
def test_what_is_no_questions_own_ends_the_run(error):
    with pytest.raises(type(error)):
        list(flow().run(QUESTIONS, Bench("rerank", "b", error)))


def test_cannot_open_keeps_the_words_of_our_own_errors():
    assert str(CannotOpen("reranker", ConfigError("model", found="nothing"))) == "model: found nothing"
    assert str(CannotOpen("reranker", OSError("gone"))) == "reranker: cannot be opened (OSError: gone)"


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"k": 0}, "k: expected a whole number of at least 1, found 0"),
        ({"k": True}, "k: expected a whole number"),
        ({"recall_k": 2.5}, "recall_k: expected a whole number"),
        ({"pool_depth": None}, "pool_depth: expected a whole number"),
        ({"recall_k": 7}, "recall_k: expected at most pool_depth"),
    ],
)
def test_cuts_are_checked(knobs, words):
    with pytest.raises(ConfigError, match=words):
        flow(**knobs)


def test_no_questions_no_traces():
    assert list(flow().run([], Bench())) == []
