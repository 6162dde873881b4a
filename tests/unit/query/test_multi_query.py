import pytest

from ragbench.errors import ConfigError
from ragbench.query import variant_prompts
from ragbench.query.multi_query import MultiQuery
from ragbench.query.wording import heading, keywords, plain, variants
from tests.unit.query.models import MODEL, OTHER, QUESTIONS, planned, texts


def stage(**changed) -> MultiQuery:
    return MultiQuery(**({"classifier": None, "rewriter": None, "llm": MODEL, "n": 3, "ranking": "rrf"} | changed))


@pytest.mark.parametrize("language", QUESTIONS)
def test_the_question_and_its_variants(language: str) -> None:
    reply = f'{{"queries": ["{OTHER[language]}", "{QUESTIONS[language]}", "{OTHER[language]} 2", "{OTHER[language]} 3", "x"]}}'
    view, requests, says = planned(stage(), QUESTIONS[language], reply)
    assert texts(requests) == [QUESTIONS[language], OTHER[language], f"{OTHER[language]} 2", f"{OTHER[language]} 3"]
    assert [one.form for one in requests] == ["typed", "variant", "variant", "variant"]
    assert {(one.role, one.routes, one.depth, one.weight) for one in requests} == {("query", (), None, 1.0)}
    assert str(stage().n) in says.asked[0].messages[0].content
    assert says.asked[0].prompt == variant_prompts.NAME
    assert view.text is None


@pytest.mark.parametrize("ranking", ["rrf", "votes", "best", "sum"])
def test_every_request_says_how_the_lists_are_joined(ranking: str) -> None:
    requests = planned(stage(ranking=ranking), "How long is the trial?", '["trial length", "trial period"]')[1]
    assert [one.join for one in requests] == [ranking] * 3


@pytest.mark.parametrize(
    ("text", "first", "words"),
    [
        ("工牌掉了要怎么弄", "工牌遗失要如何办理", "工牌掉"),
        ("How long does the trial run?", "duration does the trial run?", "long trial run"),
        ("bonus 怎么弄", "bonus 如何办理", "bonus"),
    ],
)
def test_variants_by_rules(text: str, first: str, words: str) -> None:
    assert plain(text) == first
    assert keywords(text) == words
    assert variants(text)[:2] == [first, words]
    requests = planned(stage(llm=None, n=2), text)[1]
    assert texts(requests) == [text, first, words]


def test_headings() -> None:
    assert heading("年假怎么申请") == "年假申请的办理流程"
    assert heading("How long does the trial run?") == "Time limit: trial run"
    assert heading("谁来审批年假") == "来审批年假的负责人"
    assert heading("？？？") == heading("") == ""


@pytest.mark.parametrize("text", ["", "？", "a", "的", "what", "is it", "吗" * 1000])
def test_what_says_little_has_few_variants(text: str) -> None:
    assert all(one and one != text for one in variants(text))


@pytest.mark.parametrize(
    ("name", "value"), [("n", 0), ("n", 11), ("n", True), ("n", 2.5), ("ranking", "mean"), ("ranking", None)]
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.query.{name}: expected"):
        stage(**{name: value})


@pytest.mark.parametrize("changed", [{"n": 2}, {"ranking": "best"}, {"llm": None}])
def test_every_setting_is_in_the_fingerprint(changed) -> None:
    assert stage(**changed).fingerprint() != stage().fingerprint()
