"""Contexts that are refused before anybody reads them, whichever generator would have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError
from ragbench.generator import messages
from ragbench.generator.chat import ChatGenerator
from ragbench.generator.extractive import ExtractiveGenerator
from ragbench.records.question import Question
from ragbench.records.trace import Answer, ContextBlock, PackedContext
from tests.unit.generator.fakes import NO_POLICY, context_of
from tests.unit.generator.test_chat import MODEL, Saying

QUESTIONS = {"zh": "年假有几天？", "en": "How long is annual leave?", "mixed": "annual leave 年假有几天？"}
TEXTS = {
    "zh": ("员工年假为十天。", "病假需要医院证明。"),
    "en": ("Annual leave is ten days.", "Sick leave needs a certificate."),
    "mixed": ("员工 annual leave 年假为十天。", "Sick leave 需要医院证明。"),
}
WORDS = {
    messages.NO_CONTEXT: ("没有检索到", "No sources were found"),
    messages.FEW_CONTEXTS: ("太少", "Too few sources"),
    messages.LOW_RELEVANCE: ("相关性都不够高", "None of the retrieved sources is relevant enough"),
    messages.LOW_MEAN_RELEVANCE: ("平均相关性", "taken together, are not relevant enough"),
}


def context(language: str, *relevance: float | None) -> PackedContext:
    texts = (TEXTS[language] * 3)[: len(relevance)]
    packed = context_of(*texts)
    blocks = [replace(block, relevance=value) for block, value in zip(packed.blocks, relevance, strict=True)]
    return replace(packed, blocks=tuple(blocks))


def extractive(language: str, packed: PackedContext, **policy: Any) -> Answer:
    stage = ExtractiveGenerator(scorer="lexical", max_sentences=1, refuse_below=0.0, **(NO_POLICY | policy))
    with stage.open(Tools(None)) as generator:  # type: ignore[arg-type]
        found = generator.answer(Question("q", QUESTIONS[language]), packed)
    assert found is not None
    return found


def chat(language: str, packed: PackedContext, **policy: Any) -> Answer:
    stage = ChatGenerator(llm=MODEL, prompt="strict", max_tokens=99, grounding="off", **(NO_POLICY | policy))
    says: Any = Saying(f"{TEXTS[language][0]} [1]")
    with stage.open(Tools(None, None, says)) as generator:  # type: ignore[arg-type]
        found = generator.answer(Question("q", QUESTIONS[language]), packed)
    assert found is not None and bool(says.asked) is not found.refused, "a refused question asks nothing"
    return found


both = pytest.mark.parametrize("answer", [extractive, chat])
every = pytest.mark.parametrize("language", QUESTIONS)


@both
@every
@pytest.mark.parametrize(
    ("relevance", "policy", "reason"),
    [
        ((), {}, messages.NO_CONTEXT),
        ((), {"min_max": 0.5, "min_contexts": 3}, messages.NO_CONTEXT),
        ((0.9,), {"min_contexts": 2}, messages.FEW_CONTEXTS),
        ((0.1,), {"min_contexts": 2, "min_max": 0.5}, messages.FEW_CONTEXTS),
        ((0.49, 0.2), {"min_max": 0.5}, messages.LOW_RELEVANCE),
        ((0.2, 0.49), {"min_max": 0.5, "min_mean": 0.5}, messages.LOW_RELEVANCE),
        ((0.9, 0.05), {"min_max": 0.5, "min_mean": 0.5}, messages.LOW_MEAN_RELEVANCE),
        ((0.0, 0.0), {"min_mean": 0.3}, messages.LOW_MEAN_RELEVANCE),
    ],
)
def test_too_little_is_refused_with_its_reason_in_the_language_of_the_question(
    answer: Any, language: str, relevance: tuple[float, ...], policy: dict[str, float], reason: str
) -> None:
    found = answer(language, context(language, *relevance), **policy)
    assert (found.refused, found.reason, found.citations) == (True, reason, ())
    assert WORDS[reason][language == "en"] in found.text


@both
@every
@pytest.mark.parametrize(
    ("relevance", "policy"),
    [
        ((0.9, 0.1), {}),
        ((-3.0, None), {}),
        ((None,), {"min_contexts": 1}),
        ((0.1, 0.2), {"min_contexts": 2}),
        ((0.2, 0.5), {"min_max": 0.5}),
        ((0.5, 0.1), {"min_max": 0.5, "min_mean": 0.3}),
        ((1.0, 1.0), {"min_max": 1, "min_mean": 1, "min_contexts": 2}),
    ],
)
def test_enough_is_answered(
    answer: Any, language: str, relevance: tuple[float | None, ...], policy: dict[str, float]
) -> None:
    found = answer(language, context(language, *relevance), **policy)
    assert not found.refused and found.reason == "" and found.text.startswith(TEXTS[language][0])


@both
def test_blocks_without_text_count_for_nothing(answer: Any) -> None:
    packed = context("zh", 0.2)
    blank = (ContextBlock(2, "d", 0, 1, (5,), " \n", 1, 0.9), ContextBlock(3, "d", 0, 1, (6,), "", 0, None))
    packed = replace(packed, blocks=(*packed.blocks, *blank))
    assert answer("zh", packed, min_contexts=2).reason == messages.FEW_CONTEXTS
    assert answer("zh", packed, min_max=0.5).reason == messages.LOW_RELEVANCE
    assert not answer("zh", packed, min_mean=0.2).refused


@both
@pytest.mark.parametrize("value", [None, -2.0, 1.5, float("nan")])
@pytest.mark.parametrize("name", ["min_max", "min_mean"])
def test_a_relevance_that_is_no_probability_is_an_error_and_no_refusal(
    answer: Any, value: float | None, name: str
) -> None:
    with pytest.raises(DataError, match=r"relevance of block 2: expected a probability from 0 to 1.*calibrate"):
        answer("en", context("en", 0.9, value), **{name: 0.5})


def test_the_extractive_generator_tells_its_confidence_though_the_policy_refused() -> None:
    free = extractive("en", context("en", 0.1))
    refused = extractive("en", context("en", 0.1), min_max=0.5)
    assert free.confidence is not None and refused.confidence == free.confidence
    assert chat("en", context("en", 0.1), min_max=0.5).confidence is None
    both_refuse = ExtractiveGenerator(
        scorer="lexical", max_sentences=1, refuse_below=1.0, **(NO_POLICY | {"min_max": 0.5})
    )
    with both_refuse.open(Tools(None)) as generator:  # type: ignore[arg-type]
        found = generator.answer(Question("q", QUESTIONS["en"]), context("en", 0.1))
    assert found is not None and found.reason == messages.LOW_RELEVANCE, "the policy comes first"


@pytest.mark.parametrize("kind", [ExtractiveGenerator, ChatGenerator])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_contexts", 0), ("min_contexts", True), ("min_contexts", 1.5), ("min_contexts", None),
        ("min_max", -0.1), ("min_max", 1.1), ("min_max", True), ("min_max", None), ("min_max", "0.5"),
        ("min_mean", float("nan")), ("min_mean", float("inf")),
    ],
)  # fmt: skip
def test_a_policy_that_means_nothing_is_refused_by_name(kind: Any, name: str, value: Any) -> None:
    own: dict[str, Any] = {"scorer": "lexical", "max_sentences": 1, "refuse_below": 0.3}
    if kind is ChatGenerator:
        own = {"llm": MODEL, "prompt": "strict", "max_tokens": 9, "grounding": "off"}
    with pytest.raises(ConfigError, match=rf"pipeline.generator.{name}: expected a "):
        kind(**own, **(NO_POLICY | {name: value}))
