"""All turns of the user as one search."""

import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.all_turns import AllTurnsQuery
from ragbench.query.rules import RuleClassifier
from ragbench.records.question import Question, Turn
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView

TALKS = {
    "zh": ("那成都呢？", [("user", "总部每周可以在家上班几天"), ("assistant", "每周一天。"), ("user", "转正以后呢")]),
    "en": ("And on 3.6?", [("user", "What does 3121 mean?"), ("assistant", "A damaged index."), ("user", "On 4.2?")]),
    "mixed": ("那 API 的呢", [("user", "SLA 是多少"), ("assistant", "99.95%"), ("user", "SDK 呢")]),
}


def plan(text, turns, order="newest_first", classifier=None, **more):
    asked = Question("q", text, history=tuple(Turn(*turn) for turn in turns), **more)
    with AllTurnsQuery(classifier=classifier, order=order).open(Tools(None)) as query:
        return query.plan(asked)


@pytest.mark.parametrize("language", TALKS)
def test_the_users_turns_are_joined_and_the_assistants_left_out(language):
    text, turns = TALKS[language]
    said = [content for role, content in turns if role == "user"]
    view, (newest,) = plan(text, turns)
    _, (oldest,) = plan(text, turns, "oldest_first")
    assert newest.text.split("\n") == [text, *reversed(said)]
    assert oldest.text.split("\n") == [*said, text]
    assert newest.form == "turns" and view == QueryView()


@pytest.mark.parametrize("text", ["年假有几天？", "How many days?", " SLA 是多少 "])
def test_a_question_without_earlier_turns_of_the_user_is_searched_as_typed(text):
    asked = SearchRequest(text, tenant=None)
    assert plan(text, [])[1] == plan(text, [("assistant", "你好，请问？")])[1] == (asked,)
    assert plan(text, [("user", text.strip()), ("user", " ")])[1] == (asked,), "said twice is said once"


def test_filter_and_tenant_go_along_and_the_last_turn_is_classified():
    turns = [("user", "工牌")]
    more = {"filter": {"site": "苏州"}, "principal": "acme"}
    view, (request,) = plan("那个怎么弄", turns, classifier=RuleClassifier(short=25), **more)
    assert (request.filter, request.tenant) == ({"site": "苏州"}, "acme")
    assert view.complexity != "ambiguous", "earlier turns say what it points to"


def test_a_turn_that_came_twice_is_there_once_and_a_long_talk_is_not_lost():
    turns = [("user", f"第{number % 500}问") for number in range(1000)]
    _, (request,) = plan("最后一问", turns)
    assert len(request.text.split("\n")) == 501
    assert request.text.startswith("最后一问\n第499问")


@pytest.mark.parametrize("order", ["newest", "", None])
def test_another_order_is_refused(order):
    with pytest.raises(ConfigError, match="newest_first or oldest_first"):
        AllTurnsQuery(classifier=None, order=order)


def test_golden_output_of_version_1():
    """Fails when the output changes without a new VERSION."""
    assert AllTurnsQuery.VERSION == 1
    assert plan("那成都呢？ ", TALKS["zh"][1])[1][0].text == "那成都呢？\n转正以后呢\n总部每周可以在家上班几天"
