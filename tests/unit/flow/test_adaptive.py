"""Each class of question down its own way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ragbench.errors import ConfigError
from ragbench.flow.adaptive import AdaptiveFlow
from ragbench.flow.ways import Clarify, EachPart, OneRound, TwoRounds, Way
from ragbench.query.clarifier import Clarifier
from ragbench.query.decomposer import Decomposer
from ragbench.query.refiner import Refiner
from ragbench.records.question import Question
from ragbench.records.trace import Answer, QueryView, Trace
from tests.unit.flow.script import ScriptedBench

PARTS = EachPart(k=None, factor=2.0, rerank=True, decomposer=Decomposer(llm=None, max_parts=3))
AGAIN = TwoRounds(k=None, factor=2.0, rerank=True, refiner=Refiner(llm=None, max_chars=200))
WAYS: dict[str, Way] = {
    "simple_lookup": OneRound(k=2, factor=None, rerank=False),
    "multi_hop": AGAIN,
    "comparison": replace(PARTS, factor=1.5),
    "decomposable": PARTS,
    "ambiguous": Clarify(k=None, factor=1.0, rerank=False, clarifier=Clarifier(llm=None)),
    "unknown": replace(AGAIN, factor=1.0),
}
PAIRS = {
    "zh": ("请客吃饭，北厂和南厂哪个标准高", ["请客吃饭，北厂哪个标准高", "请客吃饭，南厂哪个标准高"]),
    "en": ("Retries: 1.4 versus 2.0?", ["Retries: 1.4?", "Retries: 2.0?"]),
    "mixed": ("Plan A和Plan B有什么不同", ["Plan A有什么不同", "Plan B有什么不同"]),
}
LANGUAGES = ("zh", "en", "mixed")
TEXTS = {"zh": "年假有几天", "en": "how many days of leave", "mixed": "API 的 max_age 多少"}


def flow(**given: Any) -> AdaptiveFlow:
    return AdaptiveFlow(**({"k": 4, "recall_k": 10, "pool_depth": 20, "floor": 3, "ways": WAYS} | given))


def one(text: str, name: str | None, bench: ScriptedBench | None = None, **given: Any) -> tuple[Trace, ScriptedBench]:
    bench = bench or ScriptedBench(finds={text: range(20)})
    bench.understood = {text: QueryView(name, "rules")}
    [trace] = flow(**given).run([Question("q", text)], bench)
    assert trace.error is None
    return trace, bench


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_simple_question_goes_the_light_way(language: str) -> None:
    trace, bench = one(TEXTS[language], "simple_lookup")
    assert trace.k == 2 and trace.context is not None and len(trace.context.blocks[0].chunks) == 2
    assert "rerank" not in [name for name, _ in bench.asked]
    assert trace.reranked is trace.fused and trace.usage == {"hops": 1}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_side_of_a_comparison_is_searched_by_itself(language: str) -> None:
    text, both = PAIRS[language]
    bench = ScriptedBench(finds={both[0]: [1, 2, 3], both[1]: [4, 5, 6]})
    trace, bench = one(text, "comparison", bench)
    assert [[request.text for request in step.requests] for step in trace.rounds] == [[both[0]], [both[1]]]
    assert [("retrieve", tuple(both))] == [call for call in bench.asked if call[0] == "retrieve"], "together"
    assert [call for call in bench.asked if call[0] == "rerank"] == [("rerank", both[0]), ("rerank", both[1])]
    assert [item.chunk for item in trace.reranked] == [2, 5, 1, 4, 3, 6]
    assert [[found.request for found in step.route_lists] for step in trace.steps] == [[0], [0], [0, 1]]
    assert (trace.k, trace.recall_k, trace.usage) == (6, 6, {"hops": 2})
    assert trace.answer == Answer(f"to {text}")


def test_what_cannot_be_taken_apart_is_one_round_as_planned() -> None:
    trace, _ = one("哪边好", "comparison")
    assert len(trace.steps) == 1 and trace.k == 6 and trace.recall_k is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_multi_hop_question_is_searched_again_with_what_was_found(language: str) -> None:
    text = TEXTS[language]
    said = "The rule of 王工"
    again = f"{text} {said}"
    bench = ScriptedBench(finds={text: [1, 2, 3], again: [4, 5, 6]}, answers={text: Answer(said)})
    trace, _ = one(text, "multi_hop", bench)
    assert [step.requests[0].text for step in trace.rounds] == [text, again]
    assert [item.chunk for item in trace.fused] == [1, 4, 2, 5, 3, 6]
    assert trace.rounds[0].answer == Answer(said) and trace.usage == {"hops": 2} and trace.k == 8


@pytest.mark.parametrize("nothing", [None, Answer("no", True, "low_support")])
def test_without_an_answer_the_context_refines_the_query(nothing: Answer | None) -> None:
    trace, _ = one("how so", "multi_hop", ScriptedBench(answers={"how so": nothing}))
    assert trace.rounds[1].requests[0].text == "how so text of the block" and trace.rounds[0].note


@pytest.mark.parametrize("name", [None, "", "uncertain", "no such class"])
def test_what_nobody_decided_goes_the_heavier_way(name: str | None) -> None:
    trace, _ = one("how so", name)
    assert len(trace.rounds) == 2 and trace.k == 4


@pytest.mark.parametrize(
    ("text", "named", "chinese"),
    [("那个怎么弄", "那个", True), ("how does it work", "it", False), ("那个 API 咋用", "那个", True),
     ("台风天要不要去", "台风", True), ("stuff never arrives", "arrives", False), ("？", "", False)],
)  # fmt: skip
def test_an_ambiguous_question_is_answered_with_a_question(text: str, named: str, chinese: bool) -> None:
    trace, bench = one(text, "ambiguous")
    assert trace.answer is not None and trace.answer.clarifies and not trace.answer.refused
    assert trace.answer.text == trace.query.clarify and trace.answer.text.endswith(("？", "。", "?", "."))
    assert named in trace.answer.text and ("请" in trace.answer.text) == chinese
    assert "generate" not in [name for name, _ in bench.asked]
    assert trace.fused, "what would have been found is there to be measured"


def test_a_question_back_of_the_query_stage_stays() -> None:
    bench = ScriptedBench(understood={"that": QueryView("ambiguous", "llm", clarify="Which one?")})
    [trace] = flow().run([Question("q", "that")], bench)
    assert trace.answer == Answer("Which one?", clarifies=True)


@pytest.mark.parametrize(
    "ways", [{}, {"simple_lookup": PARTS}, WAYS | {"more": PARTS}, WAYS | {"unknown": "no way"}, None]
)
def test_a_way_for_each_class(ways: Any) -> None:
    with pytest.raises(ConfigError, match="way"):
        flow(ways=ways)


@pytest.mark.parametrize(
    "given",
    [
        {"k": 2, "factor": 1.0},
        {"k": None, "factor": None},
        {"k": 0, "factor": None},
        {"k": None, "factor": 0},
        {"k": True, "factor": None},
    ],
)
def test_a_way_has_one_of_k_and_factor(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        OneRound(rerank=True, **given)


def test_the_largest_k_must_be_among_the_candidates() -> None:
    with pytest.raises(ConfigError, match="Set recall_k=12"):
        flow(k=6)
    assert flow().largest_k == 8


def test_ways_are_in_the_fingerprint() -> None:
    others = (
        flow(),
        flow(floor=2),
        flow(ways=WAYS | {"unknown": PARTS}),
        flow(ways=WAYS | {"simple_lookup": OneRound(k=3, factor=None, rerank=False)}),
    )
    assert len({one.fingerprint() for one in others}) == 4
