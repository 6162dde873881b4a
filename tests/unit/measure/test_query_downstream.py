"""Gains against the question as typed, costs of understanding, and tiers."""

from dataclasses import replace

import pytest

from ragbench.measure.registry import measure
from ragbench.records.score import Status
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView
from ragbench.testing.cases import corpus, group, one_case, question, trace, windows

TEXTS = {"zh": "入职满一年享有十天年假。" * 10, "en": "Backups start at two. " * 10, "mixed": "SLA 为 99.95% " * 15}


def finding(name, before, after, language="zh", groups=1, **more):
    text = TEXTS[language]
    chunked = corpus({"d": text}, windows("d", text, 10))
    asked = question("q", [group(("d", 10 * at, 10 * at + 10)) for at in range(groups)], complexity="multi_hop")
    made = replace(trace("q", after, **more), untransformed=before)
    return measure(name).find(one_case(asked, chunked, made))


@pytest.mark.parametrize("language", TEXTS)
def test_gains_are_what_the_transform_changed(language):
    assert finding("query/recall_gain@1", (5, 0), (0, 5), language).value == 1.0
    assert finding("query/recall_gain@1", (0, 5), (5, 0), language).value == -1.0
    assert finding("query/mrr_gain", (5, 6, 0), (5, 0), language).value == pytest.approx(1 / 2 - 1 / 3)
    assert finding("query/recall_gain@2", (0, 1), (0, 7), language, groups=2).value == -0.5
    assert finding("query/mrr_gain", (), (0,), language).value == 1.0, "nothing found as typed"


def test_without_a_twin_there_is_no_gain():
    assert finding("query/recall_gain@5", None, (0, 1)).status is Status.NOT_APPLICABLE
    assert finding("query/mrr_gain", None, (0, 1)).status is Status.NOT_APPLICABLE


def test_costs_are_those_of_the_view():
    view = QueryView(usage={"calls": 2, "prompt_tokens": 30, "completion_tokens": 5, "ms": 8})
    assert finding("cost/query_calls", None, (0,), query=view).value == 2.0
    assert finding("cost/query_tokens", None, (0,), query=view).value == 35.0
    assert finding("cost/query_calls", None, (0,)).value == 0.0
    requests = (SearchRequest("a", tenant=None), SearchRequest("b", tenant=None))
    assert finding("cost/searches", None, (0,), requests=requests).value == 2.0
    assert finding("cost/query_ms", None, (0,), timings_ms={"query": 1.5}).value == 1.5


TIERS = {"rules": (1, None, None), "model": (0, 1, None), "llm": (0, 0, 1), "abstained": (0, 0, 0)}


@pytest.mark.parametrize("tier", TIERS)
def test_a_tier_settles_what_it_is_asked_or_passes_it_on(tier):
    said = None if tier == "abstained" else "comparison"
    found = [
        finding(f"query/settled_{one}", None, (0,), query=QueryView(said, tier)) for one in ("rules", "model", "llm")
    ]
    assert tuple(one.value for one in found) == TIERS[tier]


def test_a_tier_is_right_only_where_it_decided():
    assert finding("query/right_model", None, (0,), query=QueryView("multi_hop", "model")).value == 1.0
    wrong = finding("query/right_model", None, (0,), query=QueryView("comparison", "model"))
    assert (wrong.value, wrong.evidence) == (0.0, "comparison, gold multi_hop")
    assert (
        finding("query/right_rules", None, (0,), query=QueryView("multi_hop", "model")).status is Status.NOT_APPLICABLE
    )
    assert finding("query/settled_rules", None, (0,)).status is Status.NOT_APPLICABLE, "nothing is predicted"
