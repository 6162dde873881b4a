"""Query understanding and cost."""

import pytest

from ragbench.errors import DataError, Problems
from ragbench.measure.case import ChunkedCorpus, VariantCase, make_cases
from ragbench.measure.query.classification import accuracy, complexity_labels, confusion, macro_f1
from ragbench.measure.registry import measure
from ragbench.records.score import Status
from ragbench.records.trace import Answer, QueryView
from ragbench.testing.cases import corpus, group, one_case, packed, question, trace

CHUNKED = corpus({"d": "x" * 10}, [("d", 0, 10)])


def finding(name, view, complexity="comparison"):
    asked = question(groups=[group(("d", 0, 5))], complexity=complexity)
    return measure(name).find(one_case(asked, CHUNKED, trace(query=view)))


def test_right_wrong_and_abstained():
    assert finding("query/complexity_accuracy", QueryView("comparison", "rules")).value == 1.0
    assert finding("query/complexity_accuracy", QueryView("ambiguous", "rules")).value == 0.0
    abstention = finding("query/complexity_accuracy", QueryView(None, "rules"))
    assert abstention.value == 0.0 and "abstained" in abstention.evidence
    assert finding("query/abstained", QueryView("uncertain", "llm")).value == 1.0
    assert finding("query/abstained", QueryView("comparison", "llm")).value == 0.0


@pytest.mark.parametrize("view", [QueryView(), QueryView("comparison", "none")])
def test_without_a_tier_or_a_label_it_is_not_applicable(view):
    assert finding("query/complexity_accuracy", view).status is Status.NOT_APPLICABLE
    assert finding("query/abstained", view).status is Status.NOT_APPLICABLE
    assert finding("query/complexity_accuracy", QueryView("comparison", "rules"), None).status is Status.NOT_APPLICABLE


def test_a_failed_question_of_a_variant_without_query_understanding_is_not_failed_for_it():
    asked = [question(name, [group(("d", 0, 5))], complexity="comparison") for name in "ab"]
    cases = make_cases(asked, [trace("a", [0]), trace("b", error="boom")], CHUNKED)
    assert [measure("query/complexity_accuracy").find(case).status for case in cases] == [Status.NOT_APPLICABLE] * 2


def test_macro_f1_of_the_variant_counts_abstentions_as_misses():
    views = [QueryView("a", "rules"), QueryView(None, "rules"), QueryView("b", "rules"), QueryView()]
    gold = ["a", "a", "b", "b"]
    asked = [question(str(at), [group(("d", 0, 5))], complexity=label) for at, label in enumerate(gold)]
    cases = make_cases(asked, [trace(str(at), query=view) for at, view in enumerate(views)], CHUNKED)
    variant = VariantCase(CHUNKED, [case.query for case in cases])
    assert complexity_labels(variant) == (["a", "a", "b"], ["a", "abstained", "b"])
    assert measure("query/complexity_macro_f1").find(variant).value == pytest.approx((2 / 3 + 1) / 2)
    assert measure("query/complexity_macro_f1").find(VariantCase(CHUNKED, [])).status is Status.NOT_APPLICABLE


def test_no_labels_have_no_figures():
    assert confusion([], []) == {}
    for function in (accuracy, macro_f1):
        with pytest.raises(ValueError, match="no labels"):
            function([], [])


def test_cost_is_read_from_the_trace():
    made = trace(timings_ms={"dense": 2.0, "fuse": 0.5}, context=packed(CHUNKED, [0]), answer=Answer("十五天"))
    case = one_case(question(groups=[group(("d", 0, 5))]), CHUNKED, made)
    assert measure("cost/dense_ms").find(case).value == 2.0
    assert measure("cost/total_ms").find(case).value == 2.5
    assert measure("cost/rerank_ms").find(case).status is Status.NOT_APPLICABLE
    assert measure("cost/context_tokens").find(case).value == 10.0
    assert measure("cost/answer_chars").find(case).value == 3.0


def test_cases_that_do_not_belong_together_are_all_named():
    asked = [question("a", [group(("d", 0, 5))])]
    with pytest.raises(Problems) as caught:
        make_cases([*asked, *asked], [trace("a"), trace("a"), trace("b")], CHUNKED)
    assert len(caught.value.problems) == 3
    with pytest.raises(DataError, match="token counts"):
        ChunkedCorpus({}, CHUNKED.chunks, [])
