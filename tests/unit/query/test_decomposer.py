"""Chains and parts out of a model's reply, and what is fallen back on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, UserError
from ragbench.llm.base import ChatRequest, Reply
from ragbench.query.asking import Unusable
from ragbench.query.clarifier import Clarifier, template
from ragbench.query.decomposer import Decomposer, OpenDecomposer, chained, filled, said
from ragbench.query.refiner import OpenRefiner, Refiner
from ragbench.query.splitting import Part

CHAIN = '{"queries": ["Who heads billing?", "Who is the manager of #1?", "What is the phone of #2?"]}'


class Says:
    def __init__(self, text: str | Exception) -> None:
        self.text, self.asked = text, []  # type: ignore[var-annotated]

    def ask(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        if isinstance(self.text, Exception):
            raise self.text
        return Reply(self.text, self.text, prompt_tokens=30, completion_tokens=9, ms=12.0)


@pytest.mark.parametrize(
    "reply", [CHAIN, f"```json\n{CHAIN}\n```", f"Sure!\n{CHAIN}\nHope this helps",
              "1. Who heads billing?\n2. Who is the manager of #1?\n3. What is the phone of #2?"]
)  # fmt: skip
def test_a_chain_is_read_out_of_a_reply(reply: str) -> None:
    pieces, spent = OpenDecomposer(Says(reply), 3).chain("What is the phone of the manager of who heads billing?")
    assert (pieces.kind, pieces.depth) == ("chain", 3)
    assert [part.needs for part in pieces.parts] == [(), (0,), (1,)]
    assert pieces.parts[2].text == "What is the phone of Who is the manager of Who heads billing?"
    assert (spent.calls, spent.prompt_tokens, spent.completion_tokens, spent.fallbacks) == (1, 30, 9, 0)


@pytest.mark.parametrize(
    "reply", ["", "I cannot.", '{"queries": ["a #2", "b"]}', '{"queries": ["Who heads it?", "Who signs it?"]}',
              '{"queries": ["谁", "#9"]}', "{", UserError("timed out"), '{"queries": ["a b", "c #1", "d #4"]}']
)  # fmt: skip
@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("结算组的负责人的上级是谁？", 2),
        ("Who is the manager of the head of the billing team?", 2),
        ("API 的 owner 的邮箱是多少？", 2),
        ("年假有几天？", 1),
    ],
)
def test_an_unusable_reply_falls_back_on_rules_and_is_counted(reply: str | Exception, text: str, depth: int) -> None:
    pieces, spent = OpenDecomposer(Says(reply), 3).chain(text)
    assert pieces.depth == depth and spent.fallbacks == 1 and spent.why


def test_a_model_may_say_that_it_is_one_question() -> None:
    pieces, spent = OpenDecomposer(Says('{"queries": []}'), 3).chain("Who is the manager of the head of billing?")
    assert pieces.kind == "whole" and spent.fallbacks == 0


def test_independent_parts_are_bounded() -> None:
    many = '{"queries": ["a one?", "b two?", "c three?", "d four?"]}'
    pieces, _ = OpenDecomposer(Says(many), 3).independent("a one, b two, c three and d four?")
    assert len(pieces.parts) == 3
    by_rules, _ = OpenDecomposer(None, 2).independent("北厂谁批、南厂谁批、分厂谁批？")
    assert len(by_rules.parts) == 2


@pytest.mark.parametrize("queries", [["a #1"], ["a", "b #2"], ["a", "b #0"], ["a", "b"]])
def test_a_chain_points_back_only(queries: list[str]) -> None:
    with pytest.raises(Unusable):
        chained(queries)


def test_answers_take_the_place_of_their_references() -> None:
    part = Part("the words", "#1 and #2?", (0, 1))
    assert filled(part, ["王工", "Ann."]) == "王工 and Ann?"
    assert filled(part, ["王工", None]) == "the words"
    assert filled(part, ["王工", ""]) == "the words"
    assert filled(part, ["Ann Lee. She sits in Kiel.", "x"]) == "the words Ann Lee. She sits in Kiel. x"
    assert filled(Part("alone"), []) == "alone"
    assert len(filled(part, ["x" * 5000, "y"])) < 400


@pytest.mark.parametrize("text", ["那个怎么弄", "how does it work", "API 那个怎么用"])
def test_a_question_back_by_a_model_or_by_its_template(text: str, tmp_path: Path) -> None:
    class Models:
        concurrency = 1
        says: Says

        def asker(self, model: object, role: str) -> Says:
            return self.says

    models, tools = Models(), Tools(Store(tmp_path))
    with Clarifier(llm=None).open(tools) as clarifier:
        assert clarifier.clarify(text, ())[0] == template(text)
    with pytest.raises(ConfigError), Clarifier(llm=object()).open(tools):  # type: ignore[arg-type]
        raise AssertionError
    back = {"那个怎么弄": "您指哪个系统？", "how does it work": "Which tool?", "API 那个怎么用": "哪个 API？"}[text]
    for models.says, expected, n in (
        (Says(f'{{"question": "{back}"}}'), back, 0),
        (Says(UserError("off")), template(text), 1),
    ):
        with Clarifier(llm=object()).open(Tools(Store(tmp_path), None, models)) as clarifier:  # type: ignore[arg-type]
            found, spent = clarifier.clarify(text, ())
        assert (found, spent.fallbacks) == (expected, n)


def test_the_next_search_holds_what_was_found() -> None:
    assert OpenRefiner(None, 5).refine("谁批", " 王工 \n签字") == (
        "谁批 王工 签字",
        OpenRefiner(None, 5).refine("x", "")[1],
    )
    assert OpenRefiner(None, 3).refine("how", "abcdef")[0] == "how abc"
    assert OpenRefiner(Says('{"question": "Ann phone"}'), 5).refine("whose phone", "Ann")[0] == "Ann phone"
    kept, spent = OpenRefiner(Says(""), 5).refine("whose phone", "Ann")
    assert kept == "whose phone Ann" and spent.fallbacks == 1


@pytest.mark.parametrize("value", [0, 1, True, 2.5, None, "3"])
def test_settings_are_checked(value: object) -> None:
    with pytest.raises(ConfigError):
        Decomposer(llm=None, max_parts=value)  # type: ignore[arg-type]
    if value != 1:
        with pytest.raises(ConfigError):
            Refiner(llm=None, max_chars=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "asked", "expected"),
    [
        ("结算组的负责人是王工。[1]", "结算组的负责人是什么？", "王工"),
        ("The head of the billing team is Ann Lee. [2]", "What is the head of the billing team?", "Ann Lee"),
        ("billing API 的 owner 是 Ann。", "billing API 的 owner 是什么？", "Ann"),
        ("王工", "结算组的负责人是什么？", "王工"),
        ("财务部的主管是李总。", "结算组的负责人是什么？", "财务部的主管是李总。"),
        ("It is so. It was not. [1] [2]", "Is it?", "It is so. It was not."),
        ("", "x", ""),
        ("是", "是", "是"),
    ],
)
def test_what_an_answer_says_beyond_the_words_it_was_asked_in(answer: str, asked: str, expected: str) -> None:
    assert said(answer, asked) == expected
