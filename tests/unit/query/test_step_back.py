import pytest

from ragbench.errors import ConfigError
from ragbench.query import step_back_prompts
from ragbench.query.general import general
from ragbench.query.step_back import StepBackQuery
from tests.unit.query.models import MODEL, QUESTIONS, planned, texts

GENERAL = {
    "zh": "居家办公有什么规定？",
    "en": "What are the rules for remote work?",
    "mixed": "work from home 的规定是什么？",
}


def stage(**changed) -> StepBackQuery:
    return StepBackQuery(
        **({"classifier": None, "rewriter": None, "llm": MODEL, "k": 5, "original_k": 3, "join": "rrf"} | changed)
    )


@pytest.mark.parametrize("language", QUESTIONS)
def test_general_and_own_question_to_their_depths(language: str) -> None:
    _, requests, says = planned(stage(), QUESTIONS[language], f'{{"question": "{GENERAL[language]}"}}')
    assert [(one.text, one.form, one.depth, one.join) for one in requests] == [
        (QUESTIONS[language], "typed", 3, "rrf"), (GENERAL[language], "step_back", 5, "rrf"),
    ]  # fmt: skip
    assert says.asked[0].prompt == step_back_prompts.NAME
    assert [
        one.depth for one in planned(stage(k=None, original_k=None), QUESTIONS[language], GENERAL[language])[1]
    ] == [None, None]


@pytest.mark.parametrize(
    "reply", ['{"question": "How long is the trial"}', "how long is the trial?", "none", "", "试用"]
)
def test_without_a_general_question_the_depth_is_not_cut(reply: str) -> None:
    assert [(one.text, one.depth) for one in planned(stage(), "How long is the trial?", reply)[1]] == [
        ("How long is the trial?", None)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("成都的研发人员每周可以居家办公几天？", "研发人员每周可以居家办公几天？"),
        ("E-12 报错以后 3 天内差旅费找谁批", "报错以后差旅费找谁批"),
        ("总部和苏州的住宿标准哪个高", "住宿标准哪个高"),
        ("storage.fs 的 quota 在 2024 年是多少", "quota 是多少"),
        ("北京的 hotel limit 从 2024-03 起是多少", "hotel limit 是多少"),
        ("Which disks fit the A240 from version 4.2 on (2U)?", "Which disks fit?"),
        ("How do I reset the counter of E-4012 on 3.6 in Beijing in 2024?", "How do I reset the counter?"),
        ("What is the hotel limit in New York for grade M3?", "What is the hotel limit?"),
        ("How long is the retention period of the A240's log?", "How long is the retention period of the log?"),
        (
            "With the 2024 hosted contract, how many calls are free?",
            "With the hosted contract, how many calls are free?",
        ),
        ("How many days of normal running are left on 3.6 and on 4.2?", "How many days of normal running are left?"),
        ("How do I reset E-4012 on 3.6 in Beijing in 2024?", ""),  # nothing of a topic is left
        ("How does the A240 restart its motor?", ""),  # the subject is gone
        ("从 3.6 升级到 4.2 怎么做", ""),
        ("年假可以结转吗", ""),
        ("How do I renew?", ""),
        ("E-4012?", ""),
        ("", ""),
    ],
)
def test_specifics_are_dropped_by_rules(text: str, expected: str) -> None:
    found = general(text)
    assert found == expected
    assert texts(planned(stage(llm=None), text)[1]) == ([text, found] if found else [text])
    for gone in ("E-12", "3", "成都", "A240", "4.2", "2U", "storage.fs", "2024"):
        assert gone not in found


@pytest.mark.parametrize(
    ("name", "value"), [("k", 0), ("original_k", -1), ("k", True), ("original_k", 1.5), ("join", "flat")]
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.query.{name}: expected"):
        stage(**{name: value})


@pytest.mark.parametrize("changed", [{"k": 4}, {"original_k": None}, {"join": "sum"}, {"llm": None}])
def test_every_setting_is_in_the_fingerprint(changed) -> None:
    assert stage(**changed).fingerprint() != stage().fingerprint()
