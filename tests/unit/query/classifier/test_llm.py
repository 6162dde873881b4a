"""The language model as a tier: what it says is read whatever it looks like, and its failures are counted."""

import hashlib
import json

import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError, StoreError, UserError
from ragbench.query.asking import Unusable
from ragbench.query.classifier import prompts
from ragbench.query.classifier.llm import LlmClassifier
from ragbench.query.classifier.replies import read_labels
from ragbench.records.question import COMPLEXITIES, Turn
from tests.unit.query.models import MODEL, QUESTIONS, Says

LANGUAGES = pytest.mark.parametrize("language", ["zh", "en", "mixed"])
ALLOWED = {"complexity": COMPLEXITIES, "category": ("lookup", "procedure")}


def stage(**changed) -> LlmClassifier:
    return LlmClassifier(**({"llm": MODEL, "categories": (), "max_tokens": 128} | changed))


def said(reply, text="年假有多少天", history=(), **changed):
    says = Says(reply)
    with stage(**changed).open(Tools(None, None, says)) as worker:
        return worker.classify(text, history), says


@LANGUAGES
def test_a_class_in_the_language_of_the_question(language: str) -> None:
    found, says = said('{"complexity": "multi_hop"}', QUESTIONS[language])
    assert (found.complexity, found.tier, found.confidence, found.category_tier) == ("multi_hop", "llm", None, "")
    assert found.spent.usage == {"calls": 1, "prompt_tokens": 11, "completion_tokens": 3, "fallbacks": 0, "ms": 7}
    (request,) = says.asked
    assert says.roles == ["classifier"]
    assert ("只回答 JSON" in request.messages[0].content) == (language != "en")
    assert QUESTIONS[language] in request.messages[1].content
    assert request.schema == prompts.schema(()) and request.prompt == prompts.NAME


@LANGUAGES
def test_uncertain_is_an_abstention_and_no_fallback(language: str) -> None:
    found, _ = said('{"complexity": "uncertain"}', QUESTIONS[language])
    assert (found.complexity, found.tier) == (None, "abstained")
    assert found.spent.fallbacks == 0 and found.spent.calls == 1


@LANGUAGES
@pytest.mark.parametrize(
    "reply", ["", "I cannot say.", "[]", "{}", '{"complexity": 3}', "42", "好的，以下是结果：", "{" * 5000]
)
def test_a_reply_without_a_label_is_a_counted_fallback(reply: str, language: str) -> None:
    found, _ = said(reply, QUESTIONS[language], categories=("lookup", "procedure"))
    assert (found.complexity, found.tier, found.category, found.category_tier) == (None, "abstained", None, "abstained")
    assert found.spent.fallbacks == 1 and "no label" in found.spent.why


def test_a_failed_call_is_a_counted_fallback_and_other_errors_pass() -> None:
    for error in (UserError("models are off"), DataError("reply", expected="one")):
        found, _ = said(error)
        assert found.tier == "abstained" and found.spent.fallbacks == 1 and str(error) in found.spent.why
    with pytest.raises(StoreError):
        said(StoreError("full"))


@LANGUAGES
def test_a_category_is_told_apart_from_the_class(language: str) -> None:
    both = '{"complexity": "uncertain", "category": "Procedure"}'
    found, says = said(both, QUESTIONS[language], categories=("lookup", "procedure"))
    assert (found.complexity, found.tier, found.category, found.category_tier) == (
        None,
        "abstained",
        "procedure",
        "llm",
    )
    assert says.asked[0].schema["properties"]["category"]["enum"] == ["lookup", "procedure", "uncertain"]
    assert "lookup, procedure" in says.asked[0].messages[0].content


def test_earlier_turns_are_shown() -> None:
    _, says = said('{"complexity": "comparison"}', "那病假呢？", (Turn("user", "年假几天"), Turn("assistant", "十天")))
    assert "年假几天" in says.asked[0].messages[1].content and "之前的对话" in says.asked[0].messages[0].content


@pytest.mark.parametrize("text", ["", "  \n", "？？！", "…"])
def test_nothing_is_asked_of_an_empty_question(text: str) -> None:
    found, says = said('{"complexity": "comparison"}', text)
    assert found.tier == "abstained" and not says.asked and not found.spent.usage


@pytest.mark.parametrize(
    "reply",
    ['{"complexity": "multi_hop"}', '```json\n{"Complexity": "Multi-hop"}\n```', 'Sure! {"complexity":"MULTI HOP"} Hope it helps.',
     "multi_hop", "The class is multi-hop.", "类别：multi_hop。", "这是 multi_hop 类", '{"complexity": "multi_hop", "why": "two steps"}',
     '<think>comparison?</think>{"complexity": "multi_hop"}', '{"category": "lookup", "complexity": "ｍulti_hop"}'],
)  # fmt: skip
def test_spellings_of_a_label(reply: str) -> None:
    assert read_labels(reply, {"complexity": COMPLEXITIES})["complexity"] == "multi_hop"


@pytest.mark.parametrize(
    "reply",
    ["multi_hop or comparison", '{"complexity": "hard"}', '{"complexity": ["multi_hop"]}', '{"complexity": null}'],
)
def test_what_names_no_one_label_is_unusable(reply: str) -> None:
    with pytest.raises(Unusable):
        read_labels(reply, {"complexity": COMPLEXITIES})


def test_one_wrong_label_does_not_cost_the_other() -> None:
    reply = '{"complexity": "hard", "category": "lookup"}'
    assert read_labels(reply, ALLOWED) == {"complexity": None, "category": "lookup"}


def test_without_a_model_or_models_it_says_so() -> None:
    with pytest.raises(ConfigError, match="llm=ollama"):
        stage(llm=None).check()
    with pytest.raises(ConfigError, match="models"), stage().open(Tools(None)):
        pass


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("categories", ("one",)),
        ("categories", ("a", "a")),
        ("categories", ("a", "")),
        ("categories", "ab"),
        ("max_tokens", 3),
        ("max_tokens", True),
    ],
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"classifier.{name}"):
        stage(**{name: value})
    assert stage(categories=("a", "b")).fingerprint() != stage().fingerprint()


def test_the_prompt_is_that_of_its_version() -> None:
    asked = [
        [message.content for message in prompts.classify(text, history, categories)]
        for text in ("年假有多少天", "How long is the trial?")
        for history in ((), (Turn("user", "年假"),))
        for categories in ((), ("lookup", "procedure"))
    ]
    digest = hashlib.sha256(json.dumps([asked, prompts.schema(())], ensure_ascii=False).encode()).hexdigest()[:16]
    assert {1: "b4fc1dfa42149907"}[prompts.VERSION] == digest, "the prompt changed: raise its VERSION and pin it anew"
