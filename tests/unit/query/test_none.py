from ragbench.core.workers import Tools
from ragbench.query.none import NoneQuery
from ragbench.query.rules import RuleClassifier
from ragbench.records.question import Question, Turn
from ragbench.records.trace import QueryView


def plan(question: Question, classifier=None):
    with NoneQuery(classifier=classifier).open(Tools(None)) as query:
        return query.plan(question)


def test_searches_as_typed_with_filter_and_tenant() -> None:
    asked = Question("q", "那 病假呢？", filter={"site": "苏州"}, principal="acme", history=(Turn("user", "年假几天"),))
    view, (request,) = plan(asked)
    assert view == QueryView()
    assert (request.text, request.role, request.filter, request.tenant) == (
        "那 病假呢？",
        "query",
        {"site": "苏州"},
        "acme",
    )
    assert request.routes == () and request.allowed_docs is None


def test_gold_is_not_read() -> None:
    class Guarded:
        question, history, filter, principal = "年假有多少天", (), None, None

    assert plan(Guarded(), RuleClassifier(short=25))[0].complexity == "simple_lookup"


def test_history_reaches_the_classifier() -> None:
    rules = RuleClassifier(short=25)
    alone, _ = plan(Question("q", "那个怎么弄"), rules)
    after, _ = plan(Question("q", "那个怎么弄", history=(Turn("user", "工牌"),)), rules)
    assert alone.complexity == "ambiguous" != after.complexity
