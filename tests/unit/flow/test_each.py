"""Plans made ahead: the same traces in the same order, in less time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ragbench.errors import CannotOpen
from ragbench.flow.each import each
from ragbench.flow.one_shot import OneShotFlow
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext, Trace
from tests.unit.flow.script import ScriptedBench

TEXTS = ("年假？", "how many?", "API 的 key？", "谁批", "who signs", "VPN 密码", "几天", "when")


def traces(ahead: int, sleeps: dict[str, float]) -> list[Trace]:
    bench = ScriptedBench(finds={text: [at, at + 1] for at, text in enumerate(TEXTS)}, ahead=ahead, plan_s=sleeps)
    flow = OneShotFlow(k=1, recall_k=2, pool_depth=5)
    return list(flow.run([Question(f"q{at}", text) for at, text in enumerate(TEXTS)], bench))


@pytest.mark.parametrize("ahead", [2, 3, 8, 50])
def test_order_and_content_do_not_depend_on_it(ahead: int) -> None:
    backwards = {text: 0.02 * (len(TEXTS) - at) for at, text in enumerate(TEXTS)}
    assert traces(ahead, backwards) == traces(1, {})


def test_slow_plans_overlap() -> None:
    started = time.perf_counter()
    traces(8, dict.fromkeys(TEXTS, 0.25))
    assert time.perf_counter() - started < 1.7, "eight times 0.25 s one after the other are 2 s"


def test_the_window_is_bounded() -> None:
    under_way, most = 0, 0
    lock = threading.Lock()

    def prepare(question: Question, times: Any) -> int:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.01)
        with lock:
            under_way -= 1
        return 0

    def stages(question: Question, ready: int, times: Any) -> Iterator[Trace]:
        yield Trace(question.id)

    done = list(each([Question(str(n), "?") for n in range(30)], (3, 1), prepare, stages))
    assert [trace.question_id for trace in done] == [str(n) for n in range(30)]
    assert 1 < most <= 3


@pytest.mark.parametrize("ahead", [1, 4])
def test_what_a_plan_raises_is_told_when_its_turn_comes(ahead: int) -> None:
    def prepare(question: Question, times: Any) -> None:
        if question.id == "1":
            raise ValueError("no plan")
        if question.id == "3":
            raise CannotOpen("query", OSError("no model"))

    def stages(question: Question, ready: None, times: Any) -> Iterator[Trace]:
        yield Trace(question.id)

    found = each([Question(str(n), "?") for n in range(6)], (ahead, 1), prepare, stages)
    assert [next(found).error for _ in range(3)] == [None, "ValueError: no plan", None]
    with pytest.raises(CannotOpen, match="no model"):
        next(found)


def test_leaving_early_ends_the_threads() -> None:
    before = threading.active_count()
    bench = ScriptedBench(ahead=4, plan_s=dict.fromkeys(TEXTS, 0.01))
    flow = OneShotFlow(k=1, recall_k=2, pool_depth=5)
    running = flow.run([Question(f"q{at}", text) for at, text in enumerate(TEXTS * 20)], bench)
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


def answered(at_once: int, sleeps: dict[str, float], **scripted: Any) -> list[Trace]:
    finds = {text: [at, at + 1] for at, text in enumerate(TEXTS)}
    said = {text: Answer(f"{text} 答 answer") for text in TEXTS}
    bench = ScriptedBench(finds=finds, answers=said, at_once=at_once, answer_s=sleeps, **scripted)
    flow = OneShotFlow(k=1, recall_k=2, pool_depth=5)
    return list(flow.run([Question(f"q{at}", text) for at, text in enumerate(TEXTS)], bench))


@pytest.mark.parametrize("ahead", [1, 3])
@pytest.mark.parametrize("at_once", [2, 3, 8, 50])
def test_order_and_content_do_not_depend_on_how_many_wait_for_answers(at_once: int, ahead: int) -> None:
    backwards = {text: 0.02 * (len(TEXTS) - at) for at, text in enumerate(TEXTS)}
    assert answered(at_once, backwards, ahead=ahead) == answered(1, {})


def test_slow_answers_overlap() -> None:
    started = time.perf_counter()
    answered(8, dict.fromkeys(TEXTS, 0.25))
    assert time.perf_counter() - started < 1.7, "eight times 0.25 s one after the other are 2 s"


def test_no_more_than_so_many_wait_and_the_rest_stays_in_one_thread() -> None:
    lock, under_way, most, threads = threading.Lock(), 0, 0, set()

    def stages(question: Question, ready: None, times: Any) -> Iterator[Trace]:
        nonlocal under_way, most
        threads.add(threading.get_ident())
        yield Trace(question.id)
        threads.add(threading.get_ident())
        yield Trace(question.id, context=PackedContext())
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.01)
        with lock:
            under_way -= 1
        yield Trace(question.id, context=PackedContext(), answer=Answer("a"))

    done = list(each([Question(str(n), "?") for n in range(30)], (1, 3), lambda *_: None, stages))
    assert [trace.question_id for trace in done] == [str(n) for n in range(30)]
    assert all(trace.answer for trace in done)
    assert 1 < most <= 3
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("at_once", [1, 4])
def test_what_an_answer_raises_is_told_when_its_turn_comes(at_once: int) -> None:
    def stages(question: Question, ready: None, times: Any) -> Iterator[Trace]:
        yield Trace(question.id, context=PackedContext())
        if question.id == "1":
            raise ValueError("no answer")
        if question.id == "3":
            raise CannotOpen("generator", OSError("no model"))
        time.sleep(0.02)
        yield Trace(question.id, context=PackedContext(), answer=Answer("a"))

    found = each([Question(str(n), "?") for n in range(6)], (1, at_once), lambda *_: None, stages)
    reached = [next(found) for _ in range(3)]
    assert [trace.error for trace in reached] == [None, "ValueError: no answer", None]
    assert reached[1].context is not None and reached[1].answer is None
    with pytest.raises(CannotOpen, match="no model"):
        next(found)


def test_leaving_early_ends_the_threads_that_answer() -> None:
    before = threading.active_count()
    bench = ScriptedBench(at_once=4, ahead=2, answer_s=dict.fromkeys(TEXTS, 0.01))
    running = OneShotFlow(k=1, recall_k=2, pool_depth=5).run([Question(f"q{at}", "?") for at in range(40)], bench)
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
