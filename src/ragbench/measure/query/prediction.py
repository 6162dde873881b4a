"""What query understanding predicted beside the class, what its errors cost, and each tier's share."""

from __future__ import annotations

from functools import partial

from ragbench.measure.base import Finding, Outcome, Population, Reach, not_applicable
from ragbench.measure.case import Case, VariantCase
from ragbench.measure.family import Family
from ragbench.measure.query.answerability import answerable_auroc, answerable_balanced_accuracy
from ragbench.measure.query.classification import ABSTAINED, macro_f1
from ragbench.measure.query.complexity import is_abstention
from ragbench.measure.query.tiers import TIERS
from ragbench.records.score import Status
from ragbench.records.trace import QueryView

SIMPLE = "simple_lookup"
SIMPLE_COST, ERROR_COST, ABSTAIN_COST = 2.0, 1.0, 0.5
"""What is paid for a complex question taken for a simple one, for any other wrong class, and for an abstention, which
takes the heavier path. Fixed, so that variants can be compared."""
_NO_UNDERSTANDING = not_applicable("the variant has no query understanding")


def families() -> list[Family]:
    """Category, language and answerability as predicted; the cost of classes; shares of tiers."""
    return [*_costs(), *_labels(), *_answerability(), *_shares()]


def _costs() -> list[Family]:
    labelled = partial(Family, population=Population.COMPLEXITY, reach=Reach.QUERY, higher_is_better=False)
    paid = f"{SIMPLE_COST:g} for a complex question taken for a simple one, {ERROR_COST:g} for another wrong class"
    paid += f", {ABSTAIN_COST:g} for an abstention"
    bounds = (0.0, SIMPLE_COST)
    return [
        labelled(
            "query/complex_as_simple", "1 when a complex question is taken for a simple one", as_simple, worst=1.0
        ),
        labelled("query/class_cost", paid, class_cost, worst=SIMPLE_COST, bounds=bounds),
    ]


def _labels() -> list[Family]:
    category = "1 when the predicted category is the row's; an abstention counts 0"
    mean = "mean over the categories of the F1 of the predicted category"
    language = "1 when the language that the question is taken for is the row's"
    return [
        Family("query/category_accuracy", category, category_accuracy),
        Family("query/category_macro_f1", mean, category_macro_f1, subject="variant"),
        Family("query/language_accuracy", language, language_accuracy),
    ]


def _answerability() -> list[Family]:
    ranked = "AUROC of the predicted probability that the question can be answered"
    told = "mean of the shares of both kinds told right at a probability of one half"
    return [
        Family("query/answerable_auroc", ranked, answerable_auroc, subject="variant"),
        Family("query/answerable_balanced_accuracy", told, answerable_balanced_accuracy, subject="variant"),
    ]


def _shares() -> list[Family]:
    words = "1 when the tier {} settled the class; with query/abstained the shares sum to 1"
    return [
        Family(f"query/share_{tier}", words.format(tier), partial(share, tier=tier), reach=Reach.QUERY)
        for tier in TIERS
    ]


def as_simple(case: Case) -> Outcome:
    """1 when a question of another class is taken for `simple_lookup`; n/a for questions that are."""
    view = _view(case)
    if view is None:
        return _NO_UNDERSTANDING
    if case.question.complexity == SIMPLE:
        return not_applicable("a simple question")
    return float(view.complexity == SIMPLE)


def class_cost(case: Case) -> Outcome:
    """0 for the right class; else what the constants of this module say. Source: methods.md §6, the asymmetric cost."""
    view = _view(case)
    if view is None:
        return _NO_UNDERSTANDING
    if is_abstention(view):
        return Finding(Status.SCORED, ABSTAIN_COST, "abstained")
    if view.complexity == case.question.complexity:
        return 0.0
    cost = SIMPLE_COST if view.complexity == SIMPLE else ERROR_COST
    return Finding(Status.SCORED, cost, f"{view.complexity}, gold {case.question.complexity}")


def share(case: Case, tier: str) -> Outcome:
    """1 when the tier decided the class; over all questions these sum to 1 with those that no tier decided."""
    view = _view(case)
    if view is None:
        return _NO_UNDERSTANDING
    return float(not is_abstention(view) and view.tier == tier)


def category_accuracy(case: Case) -> Outcome:
    """1 when the predicted category is the row's, else 0; n/a where no tier predicts any."""
    view = case.trace.query if case.trace is not None else None
    if view is None or not view.category_tier:
        return not_applicable("no category is predicted")
    if view.category == case.question.category:
        return 1.0
    return Finding(Status.SCORED, 0.0, f"{view.category or ABSTAINED}, gold {case.question.category}")


def category_macro_f1(variant: VariantCase) -> Outcome:
    """Macro-F1 of the predicted categories; an abstention is a miss; n/a where none is predicted."""
    pairs = [
        (question.category, view.category or ABSTAINED)
        for question, view in variant.queries
        if view is not None and view.category_tier
    ]
    if not pairs:
        return not_applicable("no category is predicted")
    return macro_f1([gold for gold, _ in pairs], [said for _, said in pairs])


def language_accuracy(case: Case) -> Outcome:
    """1 when the language that the question is taken for is the row's; n/a where none is told."""
    view = case.trace.query if case.trace is not None else None
    if view is None or view.language is None:
        return not_applicable("no language is told")
    if view.language == case.question.language:
        return 1.0
    return Finding(Status.SCORED, 0.0, f"{view.language}, gold {case.question.language}")


def _view(case: Case) -> QueryView | None:
    view = case.trace.query if case.trace is not None else None
    return view if view is not None and view.tier not in ("", "none") else None
