import pytest

from ragbench.errors import ConfigError
from ragbench.query import hyde_prompts
from ragbench.query.hyde import LONGEST, HydeQuery
from ragbench.query.wording import statement
from tests.unit.query.models import MODEL, QUESTIONS, planned, texts

PASSAGE = {"zh": "研发人员每周可以居家办公一天。", "en": "Engineers may work from home on one day a week.", "mixed": "engineer 每周 remote work 一天，需 manager 批准。"}  # fmt: skip


def stage(**changed) -> HydeQuery:
    return HydeQuery(**({"classifier": None, "rewriter": None, "llm": MODEL, "n": 1, "question_weight": 0.0} | changed))


@pytest.mark.parametrize("language", QUESTIONS)
def test_the_hypothesis_is_searched_as_a_passage_and_the_question_by_words(language: str) -> None:
    _, requests, says = planned(stage(), QUESTIONS[language], PASSAGE[language])
    assert [(one.text, one.role, one.routes, one.form) for one in requests] == [
        (QUESTIONS[language], "query", ("sparse",), "typed"),
        (PASSAGE[language], "passage", ("dense",), "hypothesis"),
    ]
    assert says.asked[0].prompt == hyde_prompts.NAME


def test_the_dense_route_may_search_the_question_too() -> None:
    requests = planned(stage(question_weight=0.5), QUESTIONS["en"], PASSAGE["en"])[1]
    assert [(one.form, one.routes, one.weight) for one in requests] == [
        ("typed", ("sparse",), 1.0), ("typed", ("dense",), 0.5), ("hypothesis", ("dense",), 1.0),
    ]  # fmt: skip


def test_without_a_hypothesis_the_question_is_searched_everywhere() -> None:
    for reply in ("", "试用", "no", "I'm sorry, I cannot know that."):
        assert [(one.text, one.routes) for one in planned(stage(), QUESTIONS["en"], reply)[1]] == [
            (QUESTIONS["en"], ())
        ]


def test_samples_are_numbered_and_long_ones_cut() -> None:
    _, requests, says = planned(
        stage(n=3), QUESTIONS["en"], lambda request: f"Engineers may {'work ' * 999}{request.sample}"
    )
    assert sorted(one.sample for one in says.asked) == [0, 1, 2]
    assert [len(text) <= LONGEST for text in texts(requests)[1:]] == [True], "equal once cut"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("年假有多少天？", "年假有若干天。"),
        ("How long does the trial run?", "Trial run for a set time."),
        ("bonus 怎么申请", "bonus 按规定申请。"),
        ("Is the trial free?", "Trial free."),
        ("谁审批加班，几号到账", "负责人审批加班，规定时间到账。"),
        ("？？", ""),
    ],
)
def test_a_statement_by_rules(text: str, expected: str) -> None:
    assert statement(text) == expected
    if expected:
        assert texts(planned(stage(llm=None), text)[1]) == [text, expected]


@pytest.mark.parametrize(("name", "value"), [("n", 0), ("n", 6), ("question_weight", -0.1), ("question_weight", "1")])
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.query.{name}: expected"):
        stage(**{name: value})


@pytest.mark.parametrize("changed", [{"n": 2}, {"question_weight": 1}, {"llm": None}])
def test_every_setting_is_in_the_fingerprint(changed) -> None:
    assert stage(**changed).fingerprint() != stage().fingerprint()
