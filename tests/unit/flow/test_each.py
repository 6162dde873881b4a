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
from ragbench.records.trace import Trace
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
    assert time.perf_counter() - started < 1.0, "eight times 0.25 s one after the other are 2 s"


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

    done = list(each([Question(str(n), "?") for n in range(30)], 3, prepare, stages))
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

    found = each([Question(str(n), "?") for n in range(6)], ahead, prepare, stages)
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
