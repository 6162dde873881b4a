import pytest

from ragbench.errors import ConfigError
from ragbench.query import decompose_prompts
from ragbench.query.decompose_parallel import DecomposeParallelQuery
from tests.unit.query.models import MODEL, planned, texts

ASKED = {
    "zh": ("总部和苏州的住宿标准哪个高？", ["总部的住宿标准是多少？", "苏州的住宿标准是多少？"]),
    "en": ("Which keeps logs longer, Team or Enterprise?", ["How long does Team keep logs?", "How long does Enterprise keep logs?"]),
    "mixed": ("Team 和 Enterprise 哪个把 audit log 保留更久？", ["Team 的 audit log 保留多久？", "Enterprise 的 audit log 保留多久？"]),
}  # fmt: skip


def stage(**changed) -> DecomposeParallelQuery:
    return DecomposeParallelQuery(
        **({"classifier": None, "rewriter": None, "llm": MODEL, "n": 3, "whole_weight": 1.0, "join": "rrf"} | changed)
    )


@pytest.mark.parametrize("language", ASKED)
def test_each_part_is_searched_beside_the_whole(language: str) -> None:
    text, parts = ASKED[language]
    reply = '{"queries": [' + ", ".join(f'"{part}"' for part in [*parts, *parts]) + "]}"
    _, requests, says = planned(stage(), text, reply)
    assert texts(requests) == [text, *parts]
    assert [(one.form, one.join, one.depth) for one in requests] == [
        ("typed", "rrf", None),
        *[("part", "rrf", None)] * 2,
    ]
    assert says.asked[0].prompt == decompose_prompts.NAME
    assert texts(planned(stage(whole_weight=0), text, reply)[1]) == parts
    assert [one.weight for one in planned(stage(whole_weight=0.3), text, reply)[1]] == [0.3, 1.0, 1.0]


def test_never_more_than_n() -> None:
    reply = "\n".join(f"{number}. part number {number}?" for number in range(1, 9))
    assert texts(planned(stage(), ASKED["en"][0], reply)[1])[1:] == [f"part number {number}?" for number in (1, 2, 3)]
    assert len(planned(stage(n=2), ASKED["en"][0], reply)[1]) == 3


@pytest.mark.parametrize(
    "reply", ["[]", '{"queries": []}', "none", '["Which keeps logs longer, Team or Enterprise"]', '["only one part"]']
)
def test_a_question_that_asks_one_thing_stays_whole_and_that_is_no_failure(reply: str) -> None:
    for weight in (0, 1.0):
        view, requests, _ = planned(stage(whole_weight=weight), ASKED["en"][0], reply)
        assert [(one.text, one.weight) for one in requests] == [(ASKED["en"][0], 1.0)]
        assert view.usage["fallbacks"] == 0


@pytest.mark.parametrize("language", ASKED)
def test_sides_of_a_comparison_by_rules(language: str) -> None:
    text = ASKED[language][0]
    found = texts(planned(stage(llm=None), text)[1])
    assert found[0] == text
    assert len(found) == 3
    first, second = {"zh": ("总部", "苏州")}.get(language, ("Team", "Enterprise"))
    assert first in found[1]
    assert second in found[2]
    assert second not in found[1]


def test_several_questions_by_rules() -> None:
    text = "住宿标准是多少？超标了找谁批？"
    assert texts(planned(stage(llm=None, whole_weight=0), text)[1]) == ["住宿标准是多少？", "超标了找谁批？"]
    assert texts(planned(stage(llm=None), "年假有几天？")[1]) == ["年假有几天？"]
    assert texts(planned(stage(llm=None), "x, what is it and how is it? " * 999)[1])[1:] == [], "too long to take apart"


@pytest.mark.parametrize(
    ("name", "value"), [("n", 1), ("n", 4), ("n", "3"), ("whole_weight", -1), ("whole_weight", None), ("join", "best")]
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.query.{name}: expected"):
        stage(**{name: value})


@pytest.mark.parametrize("changed", [{"n": 2}, {"whole_weight": 0}, {"join": "sum"}, {"llm": None}])
def test_every_setting_is_in_the_fingerprint(changed) -> None:
    assert stage(**changed).fingerprint() != stage().fingerprint()
