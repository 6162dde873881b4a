"""Chains of sub-questions: what feeds what, what is checked, what is refused, what is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ragbench.core.codec import dumps, loads
from ragbench.errors import ConfigError
from ragbench.flow.sequential import TOO_DEEP, SequentialFlow
from ragbench.query.decomposer import Decomposer
from ragbench.records.question import Question, Turn
from ragbench.records.trace import Answer, Trace
from ragbench.run_dir.traces import trace_from_row, trace_row
from tests.unit.flow.script import ScriptedBench

CHAINS = {
    "zh": ("结算组的负责人的上级是谁？", "结算组的负责人是什么？", "王工", "王工的上级是谁？"),
    "en": (
        "Who is the manager of the head of the billing team?",
        "What is the head of the billing team?",
        "Ann Lee",
        "Who is the manager of Ann Lee?",
    ),
    "mixed": ("billing API 的 owner 的邮箱是多少？", "billing API 的 owner 是什么？", "Ann", "Ann的邮箱是多少？"),
}
LANGUAGES = ("zh", "en", "mixed")


def flow(**given: Any) -> SequentialFlow:
    own = {"k": 2, "recall_k": 4, "pool_depth": 10, "max_depth": 3, "min_confidence": 0.5, "with_question": False}
    return SequentialFlow(decomposer=Decomposer(llm=None, max_parts=3), **(own | given))


def one(question: Question, bench: ScriptedBench, **given: Any) -> Trace:
    [trace] = flow(**given).run([question], bench)
    return trace


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_answer_feeds_the_next_search(language: str) -> None:
    text, first, answer, second = CHAINS[language]
    bench = ScriptedBench(finds={first: [1, 2, 3], second: [4, 5, 1]}, answers={first: Answer(answer)})
    trace = one(Question("q", text, principal="p", history=(Turn("user", "hi"),)), bench)
    assert trace.error is None
    assert [[request.text for request in step.requests] for step in trace.steps] == [[first], [second], [first, second]]
    assert all(request.tenant == "p" for step in trace.steps for request in step.requests)
    assert [step.answer.text if step.answer else None for step in trace.steps] == [answer, None, None]
    assert [name for name in bench.asked if name[0] == "generate"] == [("generate", first), ("generate", second)]
    assert trace.answer == Answer(f"to {second}"), "what the question comes to"


def test_the_final_ranking_is_that_of_all_rounds_in_turns_without_duplicates() -> None:
    text, first, answer, second = CHAINS["en"]
    bench = ScriptedBench(finds={first: [1, 2, 3], second: [4, 1, 5]}, answers={first: Answer(answer)})
    trace = one(Question("q", text), bench)
    assert [item.chunk for item in trace.fused] == [1, 4, 2, 3, 5]
    assert [item.chunk for item in trace.reranked] == [2, 1, 4, 3, 5]
    assert [item.rank for item in trace.reranked] == [1, 2, 3, 4, 5]
    assert {item.chunk: item.former for item in trace.reranked} == {1: 1, 4: 2, 2: 3, 3: 4, 5: 5}
    assert [(found.request, found.chunks) for found in trace.steps[-1].route_lists] == [(0, (1, 2, 3)), (1, (4, 1, 5))]
    assert trace.context is not None and trace.context.blocks[0].chunks == (2, 1)


def test_the_whole_question_is_searched_first_where_it_is_wanted() -> None:
    text, first, answer, second = CHAINS["zh"]
    trace = one(Question("q", text), ScriptedBench(answers={first: Answer(answer)}), with_question=True)
    assert [step.requests[0].text for step in trace.rounds] == [text, first, second]
    assert trace.usage == {"hops": 3}


def test_times_of_all_rounds_add_up_and_rounds_are_counted() -> None:
    text, first, answer, _ = CHAINS["en"]
    trace = one(Question("q", text), ScriptedBench(answers={first: Answer(answer)}))
    spent = dict(trace.timings_ms)
    assert spent.pop("query") >= 1.0
    assert spent == {"dense": 4.0, "fuse": 2.0, "rerank": 6.0, "pack": 2.0, "generate": 10.0}
    assert trace.usage == {"hops": 2} and len(trace.rounds) == 2


def test_cut_offs_of_the_merged_ranking_are_in_the_trace() -> None:
    text, first, answer, second = CHAINS["en"]
    bench = ScriptedBench(finds={first: [1, 2, 3, 4, 5], second: [1, 6, 7, 8, 9]}, answers={first: Answer(answer)})
    trace = one(Question("q", text), bench, recall_k=3)
    assert (trace.recall_k, trace.k) == (5, None)
    assert {item.chunk for item in trace.fused[:5]} == {1, 2, 3, 6, 7}


@pytest.mark.parametrize("refused", [Answer("没有依据", True, "low_support"), Answer("  "), None])
def test_an_answer_that_says_nothing_is_not_passed_on(refused: Answer | None) -> None:
    text, first, _, _ = CHAINS["zh"]
    trace = one(Question("q", text), ScriptedBench(answers={first: refused}))
    assert trace.steps[0].note
    assert trace.steps[1].requests[0].text == "结算组的负责人的上级是谁？", "the words of the question"


def three(confidence: float | None) -> tuple[Question, ScriptedBench]:
    first, second = "结算组的负责人是什么？", "王工的上级是什么？"
    bench = ScriptedBench(
        answers={first: Answer("王工", confidence=confidence), second: Answer("李总", confidence=0.9)}
    )
    return Question("q", "结算组的负责人的上级的邮箱是多少？"), bench


@pytest.mark.parametrize(("confidence", "passed"), [(0.9, True), (0.5, True), (0.49, False), (None, True)])
def test_from_three_on_each_intermediate_answer_is_checked(confidence: float | None, passed: bool) -> None:
    question, bench = three(confidence)
    trace = one(question, bench)
    assert len(trace.rounds) == 3
    assert trace.rounds[1].requests[0].text == ("王工的上级是什么？" if passed else "结算组的负责人的上级是什么？")
    assert bool(trace.rounds[0].note) == (not passed)


def test_a_chain_of_two_is_not_checked() -> None:
    text, first, answer, second = CHAINS["zh"]
    trace = one(Question("q", text), ScriptedBench(answers={first: Answer(answer, confidence=0.1)}))
    assert trace.rounds[1].requests[0].text == second


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_deeper_chain_is_refused_with_advice_and_still_searched(language: str) -> None:
    text = CHAINS[language][0]
    bench = ScriptedBench(finds={text: [7, 8]})
    trace = one(Question("q", text), bench, max_depth=1)
    assert trace.answer is not None and trace.answer.refused and trace.answer.reason == TOO_DEEP
    assert ("拆成" in trace.answer.text) == (language != "en") and "2" in trace.answer.text
    assert [item.chunk for item in trace.fused] == [7, 8] and trace.context is not None
    assert "generate" not in [name for name, _ in bench.asked]


def test_the_depth_can_be_raised() -> None:
    question, bench = three(0.9)
    assert one(question, bench, max_depth=2).answer != one(question, bench, max_depth=3).answer
    deep = Question("q", "结算组的负责人的上级的部门的邮箱是多少？")
    assert len(one(deep, ScriptedBench(), max_depth=4).rounds) == 4
    refused = one(deep, ScriptedBench()).answer
    assert refused is not None and refused.reason == TOO_DEEP


@pytest.mark.parametrize("text", ["年假有几天？", "How many days of leave?", "API 的 max_age 是多少？"])
def test_what_is_no_chain_is_one_round(text: str) -> None:
    trace = one(Question("q", text), ScriptedBench())
    assert len(trace.steps) == 1 and trace.usage == {"hops": 1} and trace.recall_k is None
    assert trace.answer == Answer(f"to {text}")


def test_a_long_answer_is_searched_behind_the_words_of_the_question() -> None:
    text, first, _, _ = CHAINS["en"]
    said = "The head of the billing team is Ann Lee. She sits in Kiel. [1]"
    trace = one(Question("q", text), ScriptedBench(answers={first: Answer(said)}))
    assert trace.rounds[1].requests[0].text == f"{text} The head of the billing team is Ann Lee. She sits in Kiel."
    assert trace.answer == Answer(f"to {text}")


def test_traces_of_several_rounds_come_back_from_their_lines() -> None:
    question, bench = three(0.2)
    trace = one(question, bench)
    again = trace_from_row(loads(dumps(trace_row(trace))))
    assert again == replace(trace, timings_ms=again.timings_ms)
    assert again.rounds == trace.rounds and again.steps[0].note == trace.steps[0].note


def test_an_error_keeps_the_rounds_before_it() -> None:
    class Breaks(ScriptedBench):
        def generate(self, question: Question, *rest: Any) -> Answer | None:
            if question.question == second:
                raise ValueError("no answer")
            return super().generate(question, *rest)

    text, first, answer, second = CHAINS["en"]
    trace = one(Question("q", text), Breaks(answers={first: Answer(answer)}))
    assert trace.error == "ValueError: no answer" and len(trace.steps) == 3 and trace.context is not None


@pytest.mark.parametrize(
    "given",
    [{"max_depth": 0}, {"max_depth": True}, {"max_depth": 2.0}, {"min_confidence": -0.1}, {"min_confidence": 1.1},
     {"min_confidence": float("nan")}, {"min_confidence": "0.5"}, {"k": 5}, {"recall_k": 11}],
)  # fmt: skip
def test_settings_are_checked(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        flow(**given)


def test_each_setting_changes_the_fingerprint() -> None:
    prints = {
        flow(**given).fingerprint()
        for given in ({}, {"max_depth": 4}, {"min_confidence": 0.4}, {"with_question": True}, {"k": 1})
    }
    assert len(prints) == 5


def test_a_question_that_asks_several_things_is_answered_as_a_whole() -> None:
    text = "Who chairs the board, and what is their phone number?"
    trace = one(Question("q", text), ScriptedBench(answers={"Who chairs the board": Answer("Ann Lee")}))
    assert len(trace.rounds) == 2 and trace.rounds[1].requests[0].text != text
    assert trace.answer == Answer(f"to {text}")


def test_without_the_answers_the_question_is_answered_as_typed() -> None:
    text, first, _, _ = CHAINS["zh"]
    trace = one(Question("q", text), ScriptedBench(answers={first: Answer("无", True, "low_support")}))
    assert trace.answer == Answer(f"to {text}")
