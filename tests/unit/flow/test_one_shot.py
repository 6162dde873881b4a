"""One round of retrieval: what each cut-off cuts, and what an error costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from ragbench.errors import CannotOpen, ConfigError, DataError, RagbenchError, StartAgain, StoreError
from ragbench.flow.base import Cuts, Times
from ragbench.flow.one_shot import OneShotFlow
from ragbench.packer.base import NOTHING_ASKED
from ragbench.records.question import Question
from ragbench.records.search import Ranked, Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, Asked, ContextBlock, PackedContext, QueryView

N_CHUNKS = 50
CALLS = ("plan", "retrieve", "fuse", "rerank", "pack", "generate")
TEXTS = {"zh": "年假有多少天？", "en": "How many days of leave?", "mixed": "API 的 max_age 是多少？"}

SIMPLE = QueryView(complexity="simple_lookup", tier="rules")


@dataclass
class SmallBench:
    """Fifty chunks whose search finds them in their order; the reranker turns the head it is given round.

    `fails` maps a question's text to the call that raises `error` for it.
    """

    fails: dict[str, str] = field(default_factory=dict)
    error: Callable[[], Exception] = lambda: ValueError("first line\n  second line")
    requests: tuple[SearchRequest, ...] | None = None
    view: QueryView = SIMPLE
    asked: list[tuple[str, object]] = field(default_factory=list)
    _now: str = ""
    ahead: int = 1
    at_once: int = 1

    def opened(self, stage: object) -> object:
        raise AssertionError(f"one round holds no stage of its own: {stage}")

    def _called(self, name: str, seen: object, times: Times) -> None:
        self.asked.append((name, seen))
        if self.fails.get(self._now) == name:
            raise self.error()
        times[name] = 1.0

    def plan(self, question: Question, times: Times) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        self._now = question.question
        self._called("plan", question.question, times)
        found = (SearchRequest.of(question),) if self.requests is None else self.requests
        return self.view, found

    def retrieve(self, requests: Sequence[SearchRequest], depth: int, times: Times) -> tuple[RouteList, ...]:
        self._called("retrieve", depth, times)
        n = min(depth, N_CHUNKS)
        scores = tuple(1 - chunk / 100 for chunk in range(n))
        return tuple(RouteList("dense", number, tuple(range(n)), scores) for number in range(len(requests)))

    def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
        self._called("fuse", len(lists), times)
        return tuple(Ranked(hit.chunk, hit.score, hit.rank) for hit in lists[0].hits) if lists else ()

    def rerank(self, text: str, ranking: Ranking, recall_k: int, times: Times) -> Ranking:
        self._called("rerank", (text, len(ranking), recall_k), times)
        order = (*reversed(ranking[:recall_k]), *ranking[recall_k:])
        return tuple(Ranked(item.chunk, -float(rank), rank, item.rank) for rank, item in enumerate(order, start=1))

    def head(self, ranking: Ranking, k: int) -> Ranking:
        return ranking[:k]

    def pack(self, ranking: Ranking, times: Times, asked: Asked = NOTHING_ASKED) -> PackedContext:
        chunks = tuple(item.chunk for item in ranking)
        self._called("pack", chunks, times)
        return PackedContext((ContextBlock(1, "a.md", 0, 9, chunks, "nine char", 3),), 3, 100)

    def generate(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        self._called("generate", context.tokens, times)
        return Answer(f"to {question.question}")


def asks(*texts: str) -> list[Question]:
    return [Question(f"q{number}", text) for number, text in enumerate(texts)]


def flow(k: int = 3, recall_k: int = 8, pool_depth: int = 20) -> OneShotFlow:
    return OneShotFlow(k=k, recall_k=recall_k, pool_depth=pool_depth)


@pytest.mark.parametrize("language", TEXTS)
def test_three_cut_offs(language: str) -> None:
    bench = SmallBench()
    [trace] = flow(k=3, recall_k=8, pool_depth=20).run(asks(TEXTS[language]), bench)
    [step] = trace.steps
    assert [item.chunk for item in step.fused] == list(range(20))
    assert [item.chunk for item in step.reranked] == [7, 6, 5, 4, 3, 2, 1, 0, *range(8, 20)]
    assert trace.context is not None
    assert trace.context.blocks[0].chunks == (7, 6, 5)
    assert bench.asked == [
        ("plan", TEXTS[language]),
        ("retrieve", 20),
        ("fuse", 1),
        ("rerank", (TEXTS[language], 20, 8)),
        ("pack", (7, 6, 5)),
        ("generate", 3),
    ]
    assert flow(k=3, recall_k=8, pool_depth=20).cuts == Cuts(pool_depth=20, recall_k=8, k=3)


def test_all_that_happened_is_in_the_trace() -> None:
    [trace] = flow().run(asks("how?"), SmallBench())
    assert trace.question_id == "q0"
    assert trace.query == QueryView(complexity="simple_lookup", tier="rules")
    assert trace.steps[0].requests == (SearchRequest("how?", tenant=None),)
    assert [len(one.chunks) for one in trace.steps[0].route_lists] == [20]
    assert trace.answer == Answer("to how?")
    assert trace.timings_ms == dict.fromkeys(CALLS, 1.0)
    assert trace.error is None


def test_no_more_chunks_are_packed_than_were_reranked() -> None:
    with pytest.raises(ConfigError, match=r"k: expected at most recall_k \(2\).*Set recall_k=5"):
        flow(k=5, recall_k=2, pool_depth=4)
    [trace] = flow(k=2, recall_k=2, pool_depth=4).run(asks("how?"), SmallBench())
    assert trace.context is not None
    assert trace.context.blocks[0].chunks == (1, 0)


def test_reranker_and_generator_read_the_question_as_it_was_understood() -> None:
    bench = SmallBench(view=QueryView(text="as a statement"))
    [trace] = flow().run(asks("how?"), bench)
    assert ("rerank", ("as a statement", 20, 8)) in bench.asked
    assert trace.answer is not None and "as a statement" in trace.answer.text
    as_typed = SmallBench(requests=(SearchRequest("a variant", tenant=None), SearchRequest("another", tenant=None)))
    [trace] = flow().run(asks("how?"), as_typed)
    assert ("rerank", ("how?", 20, 8)) in as_typed.asked
    assert len(trace.steps[0].route_lists) == 2


def test_a_question_without_requests_finds_nothing() -> None:
    silent = SmallBench(requests=())
    [trace] = flow().run(asks("how?"), silent)
    assert ("rerank", ("how?", 0, 8)) in silent.asked
    assert trace.error is None
    assert trace.steps[0].fused == trace.steps[0].reranked == ()


def test_a_question_back_to_the_user_takes_the_place_of_an_answer() -> None:
    bench = SmallBench(view=QueryView(clarify="Which of the two?"))
    [trace] = flow().run(asks("how?"), bench)
    assert trace.answer == Answer("Which of the two?", clarifies=True)
    assert trace.context is not None and trace.steps[0].reranked, "what was found is still there to be measured"
    assert "generate" not in [name for name, _ in bench.asked]


def test_no_questions_give_no_traces() -> None:
    assert list(flow().run([], SmallBench())) == []


def test_traces_come_one_by_one() -> None:
    bench = SmallBench()
    traces = flow().run(asks("one", "two"), bench)
    assert next(traces).question_id == "q0"
    assert [seen for name, seen in bench.asked if name == "plan"] == ["one"]


@pytest.mark.parametrize("failing", CALLS)
def test_a_question_that_raises_keeps_what_was_reached_and_the_rest_go_on(failing: str) -> None:
    traces = list(flow().run(asks("one", "bad", "three"), SmallBench(fails={"bad": failing})))
    reached = CALLS[: CALLS.index(failing)]
    assert [trace.question_id for trace in traces] == ["q0", "q1", "q2"]
    assert [trace.error for trace in traces] == [None, "ValueError: first line second line", None]
    bad = traces[1]
    assert tuple(bad.timings_ms) == reached
    assert (bad.query.tier == "rules") == ("plan" in reached)
    assert bool(bad.steps) == ("fuse" in reached)
    assert bool(bad.steps and bad.steps[0].reranked) == ("rerank" in reached)
    assert (bad.context is not None) == ("pack" in reached)
    assert bad.answer is None


def test_an_error_of_ours_is_the_questions_own_too() -> None:
    bench = SmallBench(fails={"bad": "generate"}, error=lambda: DataError("answer", found="no text"))
    [trace] = flow().run(asks("bad"), bench)
    assert trace.error == "DataError: answer: found no text"


@pytest.mark.parametrize("failing", CALLS)
@pytest.mark.parametrize(
    "error",
    [CannotOpen("reranker", OSError("no such file")), StartAgain("another vector space"), StoreError("disk full")],
    ids=lambda error: type(error).__name__,
)
def test_what_would_meet_every_question_ends_the_flow(failing: str, error: RagbenchError) -> None:
    traces = flow().run(asks("one", "bad", "three"), SmallBench(fails={"bad": failing}, error=lambda: error))
    assert next(traces).error is None
    with pytest.raises(type(error)) as caught:
        next(traces)
    assert caught.value is error


def test_an_interrupt_is_no_questions_error() -> None:
    class Interrupted(SmallBench):
        def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(flow().run(asks("one"), Interrupted()))


def test_recall_k_beyond_pool_depth_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(ConfigError) as caught:
        flow(recall_k=21, pool_depth=20)
    assert str(caught.value) == (
        "recall_k: expected at most pool_depth (20), found 21. Set pool_depth=21 or a smaller recall_k."
    )
    assert flow(recall_k=20, pool_depth=20).cuts.recall_k == 20


@pytest.mark.parametrize("name", ["k", "recall_k", "pool_depth"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "10", None, True])
def test_cut_offs_are_whole_numbers_of_at_least_one(name: str, value: object) -> None:
    given = {"k": 3, "recall_k": 8, "pool_depth": 20} | {name: value}
    with pytest.raises(ConfigError, match=rf"^{name}: expected a whole number of at least 1, found "):
        OneShotFlow(**given)  # type: ignore[arg-type]


def test_each_cut_off_changes_the_fingerprint() -> None:
    prints = {one.fingerprint() for one in (flow(), flow(k=4), flow(recall_k=9), flow(pool_depth=21))}
    assert len(prints) == 4
    assert flow().fingerprint() == flow().fingerprint()
