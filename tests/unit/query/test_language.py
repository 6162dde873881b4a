import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.language import LanguageQuery
from ragbench.query.none import NoneQuery
from ragbench.query.rules import RuleClassifier
from ragbench.records.question import Question, Turn

TEXTS = {"zh": "年假有多少天？", "en": "How many days of leave?", "mixed": "《员工手册》里 annual leave 有多少天？"}


def stage(**changed) -> LanguageQuery:
    return LanguageQuery(**({"classifier": None, "part_weight": 1.0, "chunks": "all"} | changed))


def requests(text: str, **changed):
    asked = Question("q", text, filter={"site": "苏州"}, principal="acme")
    with stage(**changed).open(Tools(None)) as query:
        return query.plan(asked)[1]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_one_language_is_searched_as_typed(language: str) -> None:
    question = Question("q", TEXTS[language], filter={"site": "苏州"}, principal="acme")
    with NoneQuery(classifier=None).open(Tools(None)) as query:
        assert requests(TEXTS[language]) == query.plan(question)[1]


def test_a_mixed_question_is_also_searched_by_its_parts() -> None:
    found = requests(TEXTS["mixed"], part_weight=0.5)
    assert [(one.text, one.weight) for one in found] == [
        (TEXTS["mixed"], 1.0),
        ("《员工手册》里 有多少天？", 0.5),
        ("annual leave", 0.5),
        ("员工手册", 0.5),
    ]
    assert all((one.tenant, one.filter, one.routes) == ("acme", {"site": "苏州"}, ()) for one in found)
    assert len(requests(TEXTS["mixed"], part_weight=0)) == 1


def test_parts_that_say_nothing_or_nothing_new_are_left_out() -> None:
    assert [one.text for one in requests("API 的 max_age 是多少？")] == ["API 的 max_age 是多少？", "API max_age"]
    assert [one.text for one in requests("什么是「rate limit」")] == ["什么是「rate limit」", "rate limit"]
    assert [one.text for one in requests("")] == [""]


@pytest.mark.parametrize(
    ("language", "seen"), [("zh", [("zh", "mixed")]), ("en", [("en", "mixed")]), ("mixed", [(), ("zh", "mixed"), ("en", "mixed"), ("zh", "mixed")])]
)  # fmt: skip
def test_each_text_is_searched_in_the_chunks_of_its_language(language: str, seen: list[tuple[str, ...]]) -> None:
    assert [one.languages for one in requests(TEXTS[language], chunks="own")] == seen
    assert not any(one.languages for one in requests(TEXTS[language], chunks="all"))


def test_classes_come_from_the_classifier() -> None:
    with stage(classifier=RuleClassifier(short=25)).open(Tools(None)) as query:
        assert query.plan(Question("q", "那个怎么弄"))[0].complexity == "ambiguous"
        assert query.plan(Question("q", "那个怎么弄", history=(Turn("user", "工牌"),)))[0].complexity != "ambiguous"
    assert stage(classifier=RuleClassifier(short=25)).classifies
    assert not stage().classifies


def test_gold_is_not_read() -> None:
    class Guarded:
        question, history, filter, principal = TEXTS["mixed"], (), None, None

    with stage().open(Tools(None)) as query:
        assert len(query.plan(Guarded())[1]) == 4


@pytest.mark.parametrize(
    ("name", "value"),
    [("part_weight", -1), ("part_weight", True), ("part_weight", "1"), ("part_weight", float("nan")), ("part_weight", float("inf")),
     ("chunks", "zh"), ("chunks", None)],
)  # fmt: skip
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.query.{name}: expected"):
        stage(**{name: value})


@pytest.mark.parametrize("changed", [{"part_weight": 0.5}, {"chunks": "own"}])
def test_every_setting_is_in_the_fingerprint(changed) -> None:
    assert stage(**changed).fingerprint() != stage().fingerprint() == stage(part_weight=1).fingerprint()
