"""The curve of refusal thresholds on the page."""

import pytest

from ragbench.evaluate.refusal_curve import Told, curve
from ragbench.report.labels import Labels
from ragbench.report.view_refusal import refusal_view, refusal_views

YES, NO = [Told(0.2, True), Told(0.9, True)], [Told(0.25, False), Told(0.8, False)]


def summary(threshold=0.3, left_out=0):
    categories = {"lookup": curve(YES, threshold), "negative": curve(NO, threshold)}
    whole = curve([*YES, *NO], threshold)
    return {"refusal": {"threshold": threshold, "left_out": left_out, **whole, "by_category": categories}}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_rates_stand_at_the_thresholds_and_the_own_one_is_marked(lang):
    labels = Labels(lang)
    found = refusal_view(summary(0.4, left_out=3), labels)
    assert found["columns"] == [
        ("0.1", False),
        ("0.3", False),
        ("0.4", True),
        ("0.5", False),
        ("0.7", False),
        ("0.9", False),
    ]
    assert [(row["name"], row["n"]) for row in found["rows"]] == [
        (labels("all_questions"), 2), (labels("all_questions"), 2), (labels.group("lookup"), 2), (labels.group("negative"), 2),
    ]  # fmt: skip
    assert found["rows"][0]["cells"] == ["1.000", "0.500", "0.500", "0.500", "0.500", "0.000"]
    assert found["rows"][1]["cells"] == ["0.000", "0.500", "0.500", "0.500", "0.500", "0.500"]
    assert labels("a_curve_chosen", threshold="0.4") in found["chart"] and "3" in found["left_out"]
    assert "0.500" in found["auroc"]


def test_a_run_without_a_threshold_marks_none():
    found = refusal_view(summary(None), Labels("en"))
    assert not any(own for _, own in found["columns"]) and "this run" not in found["chart"] and found["left_out"] == ""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_score_has_its_own_curve_and_words(lang):
    labels = Labels(lang)
    told = summary()["refusal"]
    confidence, relevance = refusal_views({"refusal": told, "refusal_by_relevance": told | {"threshold": 0}}, labels)
    assert (confidence["id"], relevance["id"]) == ("refusal", "refusal-by-relevance")
    assert relevance["title"] == labels("a_curve_relevance") != confidence["title"]
    assert "min_max" in relevance["lead"] and ("0", True) in relevance["columns"]
    assert [view["id"] for view in refusal_views({"refusal_by_relevance": told}, labels)] == ["refusal-by-relevance"]
    assert refusal_views({}, labels) == []


@pytest.mark.parametrize("without", [{}, {"refusal": None}])
def test_there_is_none_where_the_run_tells_none(without):
    assert refusal_view(without, Labels("zh")) is None
