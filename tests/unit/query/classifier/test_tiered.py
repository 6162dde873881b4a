"""Tiers: who is asked, who decides, and what is recorded of it."""

from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.classifier import Classifier, Understood, check_classifier, understanding
from ragbench.query.classifier.llm import LlmClassifier
from ragbench.query.classifier.tiered import TieredClassifier
from ragbench.query.rules import RuleClassifier
from ragbench.query.spent import Spent
from ragbench.records.question import Question, Turn
from tests.unit.query.models import MODEL, QUESTIONS, Says

RULES = RuleClassifier(short=25)
COMPARES = {
    "zh": "年假和病假有什么区别",
    "en": "What is the difference of A and B?",
    "mixed": "annual leave 和病假的区别",
}


@dataclass(frozen=True, kw_only=True)
class Fixed(Classifier):
    """Says the same of every question."""

    found: Understood
    what: frozenset[str] = frozenset({"complexity"})
    calls: int = 0

    @property
    def says(self):
        return self.what

    def llm_calls(self, question=None):
        return self.calls

    @contextmanager
    def open(self, tools):
        yield self

    def classify(self, text, history=()):
        return self.found


def tiered(**changed) -> TieredClassifier:
    fields = {
        "order": ("rules", "model", "llm"),
        "rules": RULES,
        "model": Fixed(found=Understood()),
        "simple_cost": 2.0,
        "abstain_cost": 0.3,
    }
    llm = LlmClassifier(llm=None, categories=(), max_tokens=64)
    return TieredClassifier(**({"llm": llm} | fields | changed))


def said(stage, text: str, *replies, history=()):
    says = Says(*(replies or ("",)))
    with stage.open(Tools(None, None, says)) as worker:
        return worker.classify(text, history), says


@pytest.mark.parametrize("language", COMPARES)
def test_a_sure_rule_settles_it_and_nobody_else_is_asked(language: str) -> None:
    llm = LlmClassifier(llm=MODEL, categories=(), max_tokens=64)
    found, says = said(tiered(llm=llm), COMPARES[language], '{"complexity": "ambiguous"}')
    assert (found.complexity, found.tier, found.confidence) == ("comparison", "rules", 0.82)
    assert not says.asked


@pytest.mark.parametrize("language", QUESTIONS)
def test_what_no_tier_before_decides_the_model_is_asked(language: str) -> None:
    llm = LlmClassifier(llm=MODEL, categories=(), max_tokens=64)
    found, says = said(tiered(llm=llm), QUESTIONS[language], '{"complexity": "ambiguous"}')
    assert (found.complexity, found.tier, found.confidence, found.spent.calls) == ("ambiguous", "llm", None, 1)
    found, _ = said(tiered(llm=llm), QUESTIONS[language], "nonsense")
    assert (found.complexity, found.tier, found.spent.fallbacks) == (None, "abstained", 1)
    model = Fixed(found=Understood("multi_hop", "model", 0.6))
    found, says = said(tiered(llm=llm, model=model), QUESTIONS[language], '{"complexity": "ambiguous"}')
    assert (found.complexity, found.tier, found.confidence) == ("multi_hop", "model", 0.6) and not says.asked


def test_a_rule_that_is_too_often_wrong_passes_the_question_on() -> None:
    text = "年假有多少天"  # simple_lookup by the rules, at 0.79
    other = Fixed(found=Understood("comparison", "model", 0.5))
    assert said(tiered(model=other), text)[0].tier == "model", "0.21 · 2 is more than 0.3"
    assert said(tiered(model=other, abstain_cost=0.42), text)[0].tier == "rules"
    assert said(tiered(model=other, simple_cost=1.0), text)[0].tier == "rules"
    assert said(tiered(order=("rules",)), text)[0].tier == "rules", "nobody follows"
    assert said(tiered(order=("model", "rules")), text)[0].tier == "rules"
    assert said(tiered(), text)[0].tier == "abstained"


def test_class_and_category_are_settled_apart() -> None:
    both = frozenset({"complexity", "category", "answerable"})
    first = Fixed(found=Understood(category="lookup", category_tier="model", answerable=0.7, spent=Spent(1)), what=both)
    llm = Fixed(
        found=Understood("multi_hop", "llm", category="vague", category_tier="llm", spent=Spent(2)), what=both, calls=3
    )
    stage = tiered(order=("model", "llm"), model=first, llm=llm)
    found, _ = said(stage, "x")
    assert (found.complexity, found.tier, found.category, found.category_tier) == (
        "multi_hop",
        "llm",
        "lookup",
        "model",
    )
    assert found.answerable == 0.7 and found.spent.calls == 3 and stage.llm_calls() == 3
    silent = Fixed(found=Understood(category_tier="abstained"), what=both)
    found, _ = said(tiered(order=("rules", "model"), model=silent), COMPARES["zh"])
    assert (found.tier, found.category, found.category_tier) == ("rules", None, "abstained")


def test_a_tier_is_not_asked_for_what_it_never_says() -> None:
    category_only = Fixed(found=Understood(category="lookup", category_tier="model"), what=frozenset({"category"}))
    llm = LlmClassifier(llm=MODEL, categories=(), max_tokens=64)
    found, says = said(tiered(model=category_only, llm=llm), COMPARES["en"], '{"complexity": "ambiguous"}')
    assert (found.tier, found.category, says.asked) == ("rules", "lookup", [])


def test_a_tier_without_a_model_is_passed_over() -> None:
    stage = tiered()
    assert [type(one).__name__ for one in stage.tiers] == ["RuleClassifier", "Fixed"]
    assert stage.llm_calls() == 0
    other = LlmClassifier(llm=None, categories=(), max_tokens=99)
    plain = tiered(model=RuleClassifier(short=3))
    assert plain.fingerprint() == tiered(model=RuleClassifier(short=3), llm=other).fingerprint()
    assert plain.fingerprint() != tiered(model=RuleClassifier(short=3), order=("model", "rules")).fingerprint()
    assert plain.fingerprint() != tiered(model=RuleClassifier(short=3), abstain_cost=0.4).fingerprint()
    with pytest.raises(ConfigError, match="besides llm"):
        tiered(order=("llm",)).check()


@pytest.mark.parametrize(
    "changed",
    [{"order": ()}, {"order": ("rules", "rules")}, {"order": ("magic",)}, {"order": "rules"}, {"rules": None}, {"model": {"threshold": 1}},
     {"simple_cost": 0}, {"abstain_cost": 2}, {"abstain_cost": None}],
)  # fmt: skip
def test_settings_are_checked(changed) -> None:
    with pytest.raises(ConfigError, match=r"classifier\."):
        tiered(**changed)


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_query_stage_learns_class_language_and_cost(language: str) -> None:
    stage = Fixed(found=Understood("multi_hop", "model", 0.5, spent=Spent(1, 2, 3)))
    with understanding(stage, Tools(None)) as classifier:
        view, spent = classifier.of(Question("q", QUESTIONS[language], history=(Turn("user", "x"),)))
    assert (view.complexity, view.tier, view.language, view.usage["calls"], spent.calls) == (
        "multi_hop",
        "model",
        language,
        1,
        1,
    )
    with understanding(None, Tools(None)) as classifier:
        view, spent = classifier.of(Question("q", QUESTIONS[language]))
    assert (view.complexity, view.tier, view.language, spent.calls) == (None, "", None, 0)


@pytest.mark.parametrize("value", [{"short": 3}, "rules", 5])
def test_what_is_no_classifier_is_refused(value) -> None:
    with pytest.raises(ConfigError, match="a classifier or null"):
        check_classifier(value)
    check_classifier(None)
