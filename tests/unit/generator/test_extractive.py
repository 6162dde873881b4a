from __future__ import annotations

import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.generator.extractive import ExtractiveGenerator
from ragbench.generator.refusal import Calibration
from ragbench.records.question import Question
from ragbench.records.trace import PackedContext
from tests.unit.generator.fakes import NO_POLICY, WordEmbedder, context_of

ZH = "员工年假十天。病假需要提交医院证明。加班费按小时结算。"
EN = "Annual leave is ten days. Sick leave needs a doctor's note. Overtime is paid by the hour."
MIXED = "年假 annual leave 十天。Sick leave 需要 doctor note。加班 overtime 按小时。"


def answer(question: str, context: PackedContext, scorer: str = "lexical", refuse_below: float = 0.0, most: int = 2):
    embedder = WordEmbedder() if scorer == "maxsim" else None
    stage = ExtractiveGenerator(scorer=scorer, max_sentences=most, refuse_below=refuse_below, **NO_POLICY)
    with stage.open(Tools(None, embedder)) as generator:
        return generator.answer(Question("q", question), context)


@pytest.mark.parametrize("scorer", ["lexical", "maxsim"])
@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        (ZH, "病假要提交什么证明？", "病假需要提交医院证明。[1]"),
        (EN, "What note does sick leave need?", "Sick leave needs a doctor's note. [1]"),
        (MIXED, "sick leave 需要什么", "Sick leave 需要 doctor note。[1]"),
    ],
)
def test_quotes_the_sentence_that_answers(scorer: str, text: str, question: str, expected: str) -> None:
    assert answer(question, context_of(text), scorer).text == expected


@pytest.mark.parametrize("question", ["年假和加班费怎么算", "annual leave and overtime", "年假 and overtime 加班"])
def test_a_question_for_two_things_gets_two_sentences_in_reading_order(question: str) -> None:
    said = answer(question, context_of("别的。", MIXED, EN, ZH))
    assert len(said.citations) == 2
    assert [c.block for c in said.citations] == sorted(c.block for c in said.citations)
    assert len(answer(question, context_of(MIXED, EN, ZH), most=1).citations) == 1


@pytest.mark.parametrize("heading", ["", "休假 > 年假\n"])
def test_every_citation_points_to_its_words_in_the_document(heading: str) -> None:
    context = context_of(ZH, EN, heading=heading, start=100)
    said = answer("年假十天和 overtime paid by the hour", context)
    assert said.citations
    for c in said.citations:
        text = {"d1.md": ZH, "d2.md": EN}[c.doc_id]
        assert said.text[c.start : c.end] == text[c.doc_start - 100 : c.doc_end - 100]
        assert said.text[c.end :].lstrip(" ").startswith(f"[{c.block}]")


@pytest.mark.parametrize("scorer", ["lexical", "maxsim"])
@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("食堂照常。\n\n**问：邮箱满了怎么办？**\n\n先转入归档库。", "邮箱满了怎么办", "先转入归档库。[1]"),
        (
            "Lunch is at noon.\n\nIs my mailbox full?\n\nMove mail to the archive.",
            "mailbox full",
            "Move mail to the archive. [1]",
        ),
        ("食堂照常。\n\n**问：mailbox 满了？**\n\n移到 archive。", "mailbox 满了", "移到 archive。[1]"),
    ],
)
def test_a_question_is_not_quoted_but_what_follows_stands_under_it(
    scorer: str, text: str, question: str, expected: str
) -> None:
    assert answer(question, context_of(text), scorer, most=1).text == expected


def test_questions_alone_are_nothing_to_answer_from() -> None:
    assert answer("年假几天", context_of("年假几天？病假呢？")).reason == "no_context"


def test_other_refusal_weights_are_another_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ExtractiveGenerator(scorer="lexical", max_sentences=1, refuse_below=0.3, **NO_POLICY)
    before = stage.fingerprint()
    monkeypatch.setattr(Calibration, "load", staticmethod(lambda scorer: Calibration(0.0, {"covered": 1.0})))
    assert stage.fingerprint() != before


def test_a_table_row_comes_with_its_header() -> None:
    text = "| 级别 | 房价 |\n|---|---|\n| P6 | 500 |\n| P7 | 800 |"
    said = answer("P7 房价多少", context_of(text))
    assert said.text == "| 级别 | 房价 |\n| P7 | 800 |[1]"
    assert [text[c.doc_start : c.doc_end] for c in said.citations] == ["| 级别 | 房价 |", "| P7 | 800 |"]


def test_a_short_list_stays_with_its_intro_and_a_long_one_does_not() -> None:
    text = "Steps to replay events:\n- stop the reader\n- reset the cursor\n\nOther text here."
    said = answer("steps to replay events", context_of(text), most=1)
    assert said.text == "Steps to replay events:\n- stop the reader\n- reset the cursor [1]"
    long = "Steps to replay events:\n" + "- stop the reader please\n" * 30
    assert "\n-" not in answer("steps to replay events", context_of(long), most=1).text


def test_no_context_is_refused_in_the_language_of_the_question() -> None:
    for question, words in (("年假几天？", "没有检索到"), ("How many days?", "No sources")):
        said = answer(question, PackedContext())
        assert said.refused and said.reason == "no_context" and words in said.text
        assert said.citations == () and said.confidence == 0.0
    assert answer("年假", context_of("# 只有标题", "  ")).reason == "no_context"


def test_refuses_under_the_threshold_only() -> None:
    context = context_of(ZH)
    free = answer("服务器内存多大？", context)
    assert not free.refused and 0 < free.confidence < 1
    refused = answer("服务器内存多大？", context, refuse_below=min(1.0, free.confidence + 0.01))
    assert refused.refused and refused.reason == "low_support" and "没有足够的依据" in refused.text
    assert refused.confidence == free.confidence
    assert not answer("服务器内存多大？", context, refuse_below=free.confidence).refused


@pytest.mark.parametrize("scorer", ["lexical", "maxsim"])
def test_a_context_on_topic_has_the_higher_confidence(scorer: str) -> None:
    on = answer("Is overtime paid by the hour?", context_of(EN), scorer).confidence
    off = answer("Which rivers cross the northern border?", context_of(EN), scorer).confidence
    assert on > off


@pytest.mark.parametrize("question", ["", "???", "的", "x" * 50_000, "\ud800"])
@pytest.mark.parametrize("scorer", ["lexical", "maxsim"])
def test_any_question_is_answered_or_refused(question: str, scorer: str) -> None:
    said = answer(question, context_of(ZH), scorer)
    assert said.text


def test_same_input_same_answer_and_sentences_are_embedded_once() -> None:
    embedder = WordEmbedder()
    stage = ExtractiveGenerator(scorer="maxsim", max_sentences=2, refuse_below=0.0, **NO_POLICY)
    with stage.open(Tools(None, embedder)) as generator:
        first = generator.answer(Question("q", "年假和病假"), context_of(ZH))
        n_calls = len(embedder.calls)
        assert generator.answer(Question("q", "年假和病假"), context_of(ZH)) == first
    assert len(embedder.calls) == n_calls + 1  # the question alone


def test_gold_is_not_read() -> None:
    class Guarded:
        question, history, filter, principal = "年假几天", (), None, None

    stage = ExtractiveGenerator(scorer="lexical", max_sentences=1, refuse_below=0.0, **NO_POLICY)
    with stage.open(Tools(None)) as generator:
        assert "年假" in generator.answer(Guarded(), context_of(ZH)).text


def test_without_an_embedder_the_fallback_is_named() -> None:
    stage = ExtractiveGenerator(scorer="maxsim", max_sentences=1, refuse_below=0.0, **NO_POLICY)
    assert stage.uses_embedder
    with pytest.raises(ConfigError, match="scorer=lexical"), stage.open(Tools(None)):
        pass
    assert not ExtractiveGenerator(scorer="lexical", max_sentences=1, refuse_below=0.0, **NO_POLICY).uses_embedder


@pytest.mark.parametrize(
    "bad", [{"scorer": "bm25"}, {"max_sentences": 0}, {"max_sentences": True}, {"refuse_below": 1.5}]
)
def test_bad_settings_are_named(bad) -> None:
    with pytest.raises(ConfigError, match=next(iter(bad))):
        ExtractiveGenerator(**{"scorer": "lexical", "max_sentences": 1, "refuse_below": 0.3, **NO_POLICY, **bad})
