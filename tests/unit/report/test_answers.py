"""The report's section on answers."""

from __future__ import annotations

import pytest

from ragbench.records.question import Question
from ragbench.report.labels import Labels
from ragbench.report.view_answers import CORNERS, answer_view, corner

ANSWER = {"text": "十五天。", "refused": False, "clarifies": False}
REFUSED = {"text": "资料中没有答案。", "refused": True, "clarifies": False}
BACK = {"text": "您指哪一种？", "refused": False, "clarifies": True}
BLANK = {"text": " ", "refused": False, "clarifies": False}


def row(name, answer=ANSWER, relevancy=None, faithfulness=None):
    values = (("answer/relevancy", relevancy), ("answer/faithfulness", faithfulness))
    return {"id": name, "answer": answer, "scores": [[m, "scored", v, ""] for m, v in values if v is not None]}


def view(rows, unanswerable=(), lang="en"):
    asked = {one["id"]: Question(one["id"], "年假 leave?", answerable=one["id"] not in unanswerable) for one in rows}
    return answer_view(rows, asked, {}, Labels(lang))


@pytest.mark.parametrize(
    ("relevancy", "faithfulness", "name"),
    [(0.5, 0.8, CORNERS[0]), (0.5, 0.79, CORNERS[1]), (0.49, 1.0, CORNERS[2]), (0.0, 0.0, CORNERS[3])],
)
def test_corners_are_closed_at_their_thresholds(relevancy, faithfulness, name):
    assert corner(relevancy, faithfulness) == name


def test_the_dangerous_corner_lists_its_questions_and_the_unplaced_are_counted():
    rows = [row("a", relevancy=0.9, faithfulness=0.2), row("b", relevancy=0.9, faithfulness=1.0), row("c", REFUSED)]
    found = view([*rows, row("d", relevancy=0.9)])["quadrants"]
    by_name = {one["id"]: one for one in found["rows"]}
    assert by_name["relevant_unfaithful"]["ids"] == ["a"] and by_name["relevant_unfaithful"]["dangerous"]
    assert [one["n"] for one in found["rows"]] == [1, 1, 0, 0] and by_name["relevant_faithful"]["share"] == "50%"
    assert found["unplaced"].startswith("2 of 4")


def test_who_was_answered_refused_asked_back_or_got_nothing():
    rows = [row("a"), row("b", REFUSED), row("c"), row("d", REFUSED), row("e", BACK), row("f", None), row("g", BLANK)]
    answerable, unanswerable = view(rows, unanswerable=("c", "d"))["refusals"]["rows"]
    assert [cell["n"] for cell in answerable["cells"]] == [1, 2, 1, 1] and answerable["n"] == 5
    assert [cell["ids"] for cell in answerable["cells"]] == [[], ["b", "g"], [], ["f"]]
    assert [cell["n"] for cell in unanswerable["cells"]] == [1, 1, 0, 0]
    assert unanswerable["cells"][0]["wrong"] and unanswerable["cells"][0]["ids"] == ["c"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_verdicts_there_are_no_corners_and_without_answers_no_section(lang):
    assert view([row("a")], lang=lang)["quadrants"] is None
    assert view([row("a", None)], lang=lang) is None
