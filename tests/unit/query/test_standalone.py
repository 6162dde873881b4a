"""The oracle among the query stages, and that it is the only one."""

import pytest

from ragbench.core.workers import Tools
from ragbench.query.base import WithoutGold
from ragbench.query.rules import RuleClassifier
from ragbench.query.standalone import StandaloneQuery
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question, Turn
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView
from ragbench.run.build import instantiate
from ragbench.run.compose import compose, options

FOLLOW_UPS = {
    "zh": ("那成都呢", "成都研发人员每周可以居家办公几天？"),
    "en": ("and on the 3.6 box?", "What do I do about error 3121 on 3.6?"),
    "mixed": ("那 3.6 呢", "3.6 LTS 的 error 3121 怎么处理？"),
}


def row(text, standalone, **more):
    return Question("q", text, standalone=standalone, history=(Turn("user", "x"), Turn("assistant", "y")), **more)


def plan(question, classifier=None):
    with StandaloneQuery(classifier=classifier).open(Tools(None)) as query:
        return query.plan(question)


@pytest.mark.parametrize("language", FOLLOW_UPS)
def test_the_gold_form_is_searched_read_and_classified(language):
    text, alone = FOLLOW_UPS[language]
    view, (request,) = plan(row(text, alone, filter={"a": 1}, principal="acme"))
    assert (request.text, request.form, request.filter, request.tenant) == (alone, "standalone", {"a": 1}, "acme")
    assert view == QueryView(text=alone)
    rules = RuleClassifier(short=25)
    assert plan(row(text, alone), rules)[0].complexity == rules.classify(alone).complexity


@pytest.mark.parametrize("alone", [None, "", "  ", "年假有几天？"])
def test_a_row_without_one_is_searched_as_typed(alone):
    view, requests = plan(row("年假有几天？", alone))
    assert (view, requests) == (QueryView(), (SearchRequest("年假有几天？", tenant=None),))


class Spy:
    def plan(self, question):
        self.seen = question
        return QueryView(), ()


def test_other_stages_are_shown_nothing_of_the_gold():
    groups = (EvidenceGroup("g", (EvidenceItem("d", 0, 3),)),)
    gold = {"groups": groups, "reference": "五天", "complexity": "multi_hop", "category": "change", "answerable": True}
    gold |= {"language": "zh", "split": "dev", "difficulty": "hard", "metadata": {"x": 1}, "gold_sql": "select 1"}
    asked = row("那成都呢", "成都几天？", filter={"a": 1}, principal="acme", **gold)
    spy = Spy()
    WithoutGold(spy).plan(asked)
    shown = Question("q", "那成都呢", history=asked.history, filter={"a": 1}, principal="acme")
    assert spy.seen == shown


def test_one_stage_alone_may_read_gold():
    nodes = {option: compose([f"query={option}"]).data["pipeline"]["query"] for option in options("query")}
    oracles = [name for name, node in nodes.items() if instantiate(node, "query", ["ragbench."]).reads_gold]
    assert oracles == ["standalone"]


def test_golden_output_of_version_1():
    """Fails when the output changes without a new VERSION."""
    assert StandaloneQuery.VERSION == 1
    assert plan(row("那成都呢", " 成都几天？ "))[1] == (SearchRequest("成都几天？", form="standalone", tenant=None),)
