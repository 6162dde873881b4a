"""Predicted category, language and answerability; what class errors cost; shares of tiers."""

import pytest

from ragbench.measure.case import VariantCase
from ragbench.measure.query.answerability import auroc, balanced_accuracy
from ragbench.measure.registry import measure
from ragbench.records.score import Status
from ragbench.records.trace import QueryView
from ragbench.testing.cases import corpus, group, one_case, question, trace

CHUNKED = corpus({"d": "x" * 10}, [("d", 0, 10)])


def finding(name, view, **row):
    asked = question(groups=[group(("d", 0, 5))], **({"complexity": "comparison"} | row))
    return measure(name).find(one_case(asked, CHUNKED, trace(query=view)))


@pytest.mark.parametrize(
    ("said", "gold", "cost", "as_simple"),
    [("comparison", "comparison", 0, 0), ("multi_hop", "comparison", 1, 0), ("simple_lookup", "comparison", 2, 1),
     ("comparison", "simple_lookup", 1, None), ("simple_lookup", "simple_lookup", 0, None), (None, "comparison", 0.5, 0),
     ("uncertain", "simple_lookup", 0.5, None)],
)  # fmt: skip
def test_what_errors_cost(said, gold, cost, as_simple) -> None:
    view = QueryView(said, "rules")
    assert finding("query/class_cost", view, complexity=gold).value == cost
    found = finding("query/complex_as_simple", view, complexity=gold)
    assert found.value == as_simple and (as_simple is not None or found.status is Status.NOT_APPLICABLE)


@pytest.mark.parametrize(
    "name", ["class_cost", "complex_as_simple", "share_rules", "category_accuracy", "language_accuracy"]
)
def test_without_understanding_there_is_nothing_to_measure(name) -> None:
    assert finding(f"query/{name}", QueryView()).status is Status.NOT_APPLICABLE


@pytest.mark.parametrize("tier", ["rules", "model", "llm", "abstained"])
def test_shares_sum_to_one(tier) -> None:
    view = QueryView(None if tier == "abstained" else "comparison", tier)
    shares = [finding(f"query/share_{one}", view).value for one in ("rules", "model", "llm")]
    assert sum(shares) + finding("query/abstained", view).value == 1
    assert tier == "abstained" or shares[("rules", "model", "llm").index(tier)] == 1


def test_category_and_language() -> None:
    assert (
        finding("query/category_accuracy", QueryView(category="lookup", category_tier="model"), category="lookup").value
        == 1
    )
    wrong = finding("query/category_accuracy", QueryView(category="vague", category_tier="model"), category="lookup")
    assert (wrong.value, wrong.evidence) == (0, "vague, gold lookup")
    assert finding("query/category_accuracy", QueryView(category_tier="abstained"), category="lookup").value == 0
    assert finding("query/language_accuracy", QueryView(language="zh"), language="zh").value == 1
    assert finding("query/language_accuracy", QueryView(language="zh"), language="mixed").value == 0


def of_variant(name, views, **rows):
    asked = [
        question(str(n), [group(("d", 0, 5))], **{key: value[n] for key, value in rows.items()})
        for n in range(len(views))
    ]
    return measure(name).find(VariantCase(CHUNKED, list(zip(asked, views))))


def test_macro_f1_of_categories() -> None:
    views = [QueryView(category=one, category_tier="model") for one in ("a", None, "b")] + [QueryView(), None]
    assert of_variant("query/category_macro_f1", views, category=["a", "a", "b", "b", "b"]).value == pytest.approx(
        (2 / 3 + 1) / 2
    )
    assert of_variant("query/category_macro_f1", [QueryView()], category=["a"]).status is Status.NOT_APPLICABLE


def test_answerability() -> None:
    views = [QueryView(answerable=one) for one in (0.9, 0.4, 0.6, 0.1)] + [QueryView(), None]
    truth = [True, True, False, False, True, False]
    assert of_variant("query/answerable_auroc", views, answerable=truth).value == 0.75
    assert of_variant("query/answerable_balanced_accuracy", views, answerable=truth).value == 0.5
    for name in ("query/answerable_auroc", "query/answerable_balanced_accuracy"):
        assert of_variant(name, views[:2], answerable=truth[:2]).status is Status.NOT_APPLICABLE
    for function in (auroc, balanced_accuracy):
        with pytest.raises(ValueError, match="positives and negatives"):
            function([True], [0.5])
