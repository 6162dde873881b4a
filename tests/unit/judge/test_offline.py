from __future__ import annotations

import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.judge.offline import OfflineJudge
from ragbench.judge.support import SupportModel
from ragbench.records.question import Question
from ragbench.records.score import ClaimState
from ragbench.records.trace import Answer, PackedContext
from tests.unit.generator.fakes import WordEmbedder, context_of

ZH = "正式员工每年享有十天带薪年假。未休完的年假不得结转到下一年度。申请须提前三个工作日提交。"
EN = "The trial lasts 30 days and needs no licence. The broker does not start on a network file system. Logs are kept for 14 days."
MIXED = "HaloBus 4.2 默认保留 14 天。Quarantine 目录保留 24 小时。不支持 NFS。"


def verdict(text: str, context: PackedContext, semantic: bool = False, **row):
    embedder = WordEmbedder() if semantic else None
    question = Question("q", row.pop("question", "年假 days?"), **row)
    with OfflineJudge(semantic=semantic).open(Tools(None, embedder)) as judge:
        return judge.judge(question, context, Answer(text))


def states(text: str, context: PackedContext, semantic: bool = False) -> list[ClaimState]:
    return [claim.state for claim in verdict(text, context, semantic).claims]


@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize(
    ("context", "text", "sentence"),
    [
        (ZH, "未休完的年假不得结转到下一年度。[1]", "未休完的年假不得结转到下一年度。"),
        (ZH, "正式员工每年享有１０天带薪年假", "正式员工每年享有十天带薪年假。"),
        (EN, "Logs are kept for 14 days. [1]", "Logs are kept for 14 days."),
        (EN, "the trial lasts thirty days", "The trial lasts 30 days and needs no licence."),
        (MIXED, "HaloBus 4.2 默认保留14天", "HaloBus 4.2 默认保留 14 天。"),
    ],
)
def test_supported_with_the_sentence_that_decides(semantic: bool, context: str, text: str, sentence: str) -> None:
    (claim,) = verdict(text, context_of("Other text here. 别的内容。", context), semantic).claims
    assert claim.state is ClaimState.SUPPORTED
    assert (claim.sentence, claim.block) == (sentence, 2)
    assert 0.5 <= claim.score <= 1


@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize(
    ("context", "text"),
    [
        (ZH, "正式员工每年享有十五天带薪年假。"),
        (ZH, "未休完的年假可以结转到下一年度。"),
        (EN, "The trial lasts 60 days and needs no licence."),
        (EN, "The broker does start on a network file system."),
        (EN, "Logs are kept for 14 weeks."),
        (MIXED, "Quarantine 目录保留 12 小时。"),
    ],
)
def test_another_value_or_polarity_contradicts(semantic: bool, context: str, text: str) -> None:
    assert states(text, context_of(context), semantic) == [ClaimState.CONTRADICTED]


@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize(
    ("context", "text"),
    [
        (ZH, "食堂周末照常供应早餐和夜宵。"),
        (EN, "Rivers carry sediment from distant mountains."),
        (MIXED, "The CEO lives in 杭州西湖区。"),
    ],
)
def test_what_is_not_there_is_not_enough(semantic: bool, context: str, text: str) -> None:
    (claim,) = verdict(text, context_of(context), semantic).claims
    assert claim.state is ClaimState.NOT_ENOUGH and claim.score < 0.5


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("The limit is 8000 requests.", "The limit is 80"),
        ("The limit is 1.5 GB.", "The limit is 1"),
        ("限额为8万元。", "限额为8"),
        ("员工不可以带走设备。", "可以带走设备"),
        ("NFS is not allowed here.", "allowed here"),
    ],
)
def test_a_piece_of_a_sentence_is_not_verbatim(context: str, text: str) -> None:
    """A substring whose border cuts a number or a negation off would support the opposite."""
    (claim,) = verdict(text, context_of(context)).claims
    assert claim.score != 1.0


@pytest.mark.parametrize(
    "answer",
    [Answer(""), Answer("  \n"), Answer("没有足够的依据。", refused=True, reason="low_support"), Answer("[1]")],
)
def test_a_refusal_or_an_empty_answer_makes_no_claims(answer: Answer) -> None:
    with OfflineJudge(semantic=False).open(Tools(None)) as judge:
        found = judge.judge(Question("q", "年假几天", reference="十天年假。"), context_of(ZH), answer)
    assert found.claims == () and found.relevancy in (None, 0.0)
    assert found.reference_in_answer == () or answer.text == "[1]"
    assert found.error is None
    assert len(found.reference_in_context) == 1


def test_an_empty_context_supports_nothing() -> None:
    (claim,) = verdict("年假十天。", PackedContext()).claims
    assert (claim.state, claim.score, claim.block) == (ClaimState.NOT_ENOUGH, 0.0, None)


def test_the_reference_is_checked_in_answer_and_context() -> None:
    found = verdict(
        "正式员工每年享有十天带薪年假。[1]",
        context_of(ZH),
        reference="正式员工每年享有十天带薪年假；申请须提前三个工作日提交。",
    )
    assert [c.state for c in found.reference_in_context] == [ClaimState.SUPPORTED] * 2
    assert [c.state for c in found.reference_in_answer] == [ClaimState.SUPPORTED, ClaimState.NOT_ENOUGH]
    assert all(c.block is None for c in found.reference_in_answer)
    assert all(c.block == 1 for c in found.reference_in_context)


def test_citation_marks_of_the_answer_are_no_evidence() -> None:
    found = verdict("年假很多天。[7]", context_of(ZH), reference="年假7天。")
    assert [c.state for c in found.reference_in_answer] == [ClaimState.NOT_ENOUGH]


def test_other_weights_are_another_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    before = OfflineJudge(semantic=False).fingerprint()
    changed = SupportModel(0.0, SupportModel.load().weights, 0.5)
    monkeypatch.setattr(SupportModel, "load", staticmethod(lambda vectors=False: changed))
    assert OfflineJudge(semantic=False).fingerprint() != before


def test_a_failing_judge_says_so_and_gives_no_number() -> None:
    class Broken(WordEmbedder):
        def embed_queries(self, texts):
            raise TimeoutError("model went away")

    with OfflineJudge(semantic=True).open(Tools(None, Broken())) as judge:
        found = judge.judge(Question("q", "年假几天"), context_of(ZH), Answer("员工大约有十来天的假。"))
    assert "TimeoutError" in found.error and "model went away" in found.error
    assert found.claims == () and found.relevancy is None


def test_claims_point_into_the_answer() -> None:
    text = "正式员工每年享有十天带薪年假。[1]\n- 申请须提前三个工作日提交。[1]"
    found = verdict(text, context_of(ZH))
    assert [text[c.start : c.end] for c in found.claims] == [
        "正式员工每年享有十天带薪年假。",
        "申请须提前三个工作日提交。",
    ]
    assert found.judge == "offline-4" == OfflineJudge.NAME


def test_same_input_same_verdict_whatever_was_judged_before() -> None:
    context = context_of(ZH, EN)
    with OfflineJudge(semantic=True).open(Tools(None, WordEmbedder())) as judge:
        first = judge.judge(Question("q", "年假"), context, Answer("员工有十天假期。"))
        judge.judge(Question("p", "x"), context_of(MIXED), Answer("Logs are kept for two weeks."))
        assert judge.judge(Question("q", "年假"), context, Answer("员工有十天假期。")) == first


def test_without_an_embedder_the_fallback_is_named() -> None:
    with pytest.raises(ConfigError, match="semantic=false"), OfflineJudge(semantic=True).open(Tools(None)):
        pass
    assert OfflineJudge(semantic=True).uses_embedder and not OfflineJudge(semantic=False).uses_embedder


@pytest.mark.parametrize("text", ["\ud800", "。" * 5000, "a" * 100_000, "1" * 10_000 + "。", "| |", "```\nx"])
def test_odd_answers_are_judged(text: str) -> None:
    assert verdict(text, context_of(ZH)).error is None
