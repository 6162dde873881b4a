"""Claims of an answer that are checked before it leaves."""

from __future__ import annotations

from typing import Any

import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.generator.chat import ChatGenerator
from ragbench.generator.grounding import MODES, grounded
from ragbench.records.question import Question
from ragbench.records.score import ClaimState
from ragbench.records.trace import Answer
from tests.unit.generator.fakes import NO_POLICY, context_of
from tests.unit.generator.test_chat import MODEL, Saying

CONTEXT = context_of("员工年假为十天。病假需要医院证明。", "Annual leave is ten days. Sick leave needs a certificate.")
QUESTIONS = {"zh": "年假有几天？", "en": "How long is annual leave?", "mixed": "annual leave 年假有几天？"}
TRUE = {"zh": "员工年假为十天。[1]", "en": "Annual leave is ten days. [2]", "mixed": "员工年假为十天。[1]"}
FALSE = {
    "zh": "火星基地的班车每天发往木星。[1]",
    "en": "Rockets to Jupiter depart from Mars on Fridays. [2]",
    "mixed": "火星基地的 shuttle 每天发往 Jupiter。[1]",
}
MORE = {"zh": "病假需要医院证明。[1]", "en": "Sick leave needs a certificate. [2]", "mixed": "病假需要医院证明。[1]"}


def said(language: str, *replies: dict[str, str], mode: str) -> Answer:
    stage = ChatGenerator(llm=MODEL, prompt="strict", max_tokens=300, grounding=mode, **NO_POLICY)
    says: Any = Saying((" " if language == "en" else "").join(reply[language] for reply in replies))
    with stage.open(Tools(None, None, says)) as generator:  # type: ignore[arg-type]
        found = generator.answer(Question("q", QUESTIONS[language]), CONTEXT)
    assert found is not None
    return found


@pytest.mark.parametrize("language", QUESTIONS)
def test_flag_tells_and_changes_nothing(language: str) -> None:
    plain, flagged = (said(language, TRUE, FALSE, mode=mode) for mode in ("off", "flag"))
    assert plain.grounding is None and flagged.grounding is not None
    assert (flagged.text, flagged.citations) == (plain.text, plain.citations)
    assert flagged.grounding.claims == 2 and flagged.grounding.ms > 0
    assert [one in FALSE[language] for one in flagged.grounding.unsupported] == [True]
    [verdict] = flagged.grounding.verdicts
    assert (verdict.claim,) == flagged.grounding.unsupported and verdict.state is not ClaimState.SUPPORTED
    assert flagged.text[verdict.start : verdict.end].strip() == verdict.claim
    block = next(one for one in CONTEXT.blocks if one.citation == verdict.block)
    assert verdict.sentence and verdict.sentence in block.text


@pytest.mark.parametrize("language", QUESTIONS)
def test_drop_leaves_the_supported_sentences_with_their_citations(language: str) -> None:
    found = said(language, TRUE, FALSE, MORE, mode="drop")
    expected = said(language, TRUE, MORE, mode="off")
    assert not found.refused and (found.text, found.citations) == (expected.text, expected.citations)
    assert found.grounding is not None and len(found.grounding.unsupported) == 1


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize(("mode", "replies"), [("refuse", (TRUE, FALSE)), ("drop", (FALSE,)), ("refuse", (FALSE,))])
def test_nothing_supported_or_refuse_is_a_refusal_in_the_language_of_the_question(
    language: str, mode: str, replies: tuple[dict[str, str], ...]
) -> None:
    found = said(language, *replies, mode=mode)
    assert (found.refused, found.reason, found.citations) == (True, "not_grounded", ())
    assert ("不能支持" in found.text) is (language != "en") and found.grounding is not None


@pytest.mark.parametrize("mode", MODES)
def test_a_supported_answer_a_refusal_and_an_answer_without_claims_stay(mode: str) -> None:
    assert said("en", TRUE, mode=mode).text == TRUE["en"]
    refusal = Answer("No.", True, "not_in_sources")
    assert grounded(refusal, "?", CONTEXT, mode) == refusal
    assert grounded(Answer("Yes."), "?", CONTEXT, mode).text == "Yes."


def test_a_wrong_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match="off, flag, drop, refuse"):
        ChatGenerator(llm=MODEL, prompt="strict", max_tokens=300, grounding="maybe", **NO_POLICY)


def test_checking_is_part_of_the_recipe() -> None:
    made = {
        ChatGenerator(llm=MODEL, prompt="strict", max_tokens=300, grounding=mode, **NO_POLICY).fingerprint()
        for mode in MODES
    }
    assert len(made) == len(MODES)
