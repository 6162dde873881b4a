from __future__ import annotations

import pytest

from ragbench.core.workers import Tools
from ragbench.judge.answer_support import ANSWER_SIGNALS, SUPPORT, answer_signals, answer_support
from ragbench.judge.evidence import Evidence
from ragbench.judge.offline import OfflineJudge
from ragbench.judge.support import AnswerModel, SupportModel
from ragbench.records.question import Question
from ragbench.records.score import ClaimState, ClaimVerdict, JudgedValue, Status
from ragbench.records.trace import Answer
from tests.unit.generator.fakes import context_of

ZH = "正式员工每年享有十天带薪年假。未休完的年假不得结转到下一年度。"
EN = "The trial lasts 30 days and needs no licence. Logs are kept for 14 days."
MIXED = "HaloBus 4.2 默认保留 14 天。Quarantine 目录保留 24 小时。"
HALF = AnswerModel(0.0, {"words_covered": 1.0, "weakest_claims": 1.0})


def claims(*scores: float) -> list[ClaimVerdict]:
    return [ClaimVerdict(f"claim {at}", ClaimState.SUPPORTED, score) for at, score in enumerate(scores)]


def support(text: str, context: str) -> JudgedValue:
    with OfflineJudge(semantic=False).open(Tools(None)) as judge:
        (value,) = judge.judge(Question("q", "年假 days?"), context_of(context), Answer(text)).values
    return value


@pytest.mark.parametrize(
    ("scores", "weakest"),
    [((0.4,), 0.4), ((0.9, 0.1), 0.1), ((0.9, 0.1, 0.8), 0.1), ((0.9, 0.1, 0.8, 0.3, 1.0, 1.0), 0.2)],
)
def test_the_weakest_third_counts(scores: tuple[float, ...], weakest: float) -> None:
    found = answer_signals("alpha beta", claims(*scores), Evidence([(1, "alpha gamma.")]))
    assert found == {"words_covered": 0.5, "weakest_claims": pytest.approx(weakest)}


def test_with_vectors_each_claim_weighs_as_many_as_it_has_words() -> None:
    said = [ClaimVerdict(text, ClaimState.SUPPORTED, 0.5) for text in ("alpha beta gamma", "delta")]
    found = answer_signals("alpha", said, Evidence([(1, EN)]), [1.0, 0.2])
    assert found is not None and found["meaning_covered"] == pytest.approx(0.8)
    assert "meaning_covered" not in (answer_signals("alpha", said, Evidence([(1, EN)]), [None, None]) or {})


def test_an_answer_without_claims_has_none() -> None:
    found = answer_support("[1]", [], Evidence([(1, EN)]), HALF)
    assert (found.measure, found.status, found.value) == (SUPPORT, Status.NOT_APPLICABLE, None)


@pytest.mark.parametrize("text", ["", "。。。"])
def test_without_words_nothing_is_covered(text: str) -> None:
    found = answer_signals(text, claims(0.5), Evidence([(1, EN)]))
    assert found is not None and found["words_covered"] == 0.0


@pytest.mark.parametrize(
    ("context", "true", "false"),
    [
        (
            ZH,
            "正式员工每年享有十天带薪年假。未休完的年假不得结转。",
            "正式员工每年享有十五天带薪年假。食堂周末供应夜宵。",
        ),
        (EN, "The trial lasts 30 days. Logs are kept for 14 days.", "The trial lasts 60 days. Rivers carry sediment."),
        (MIXED, "HaloBus 4.2 默认保留 14 天。", "HaloBus 4.2 默认保留 30 天。"),
    ],
)
def test_a_true_answer_scores_above_a_false_one(context: str, true: str, false: str) -> None:
    one, other = support(true, context), support(false, context)
    assert one.status is other.status is Status.SCORED
    assert 0 <= other.value < one.value <= 1


@pytest.mark.parametrize("context", ["", "\n\n"])
def test_an_empty_context_covers_nothing(context: str) -> None:
    assert support("年假十天。", context).value == SupportModel.load().answer.score(dict.fromkeys(ANSWER_SIGNALS, 0.0))


def test_the_shipped_weights_keep_their_meaning() -> None:
    model = SupportModel.load().answer
    assert set(model.weights) == set(ANSWER_SIGNALS)
    assert all(weight > 0 for weight in model.weights.values())


def test_it_is_given_to_runs_that_ask() -> None:
    judge = OfflineJudge(semantic=False)
    assert SUPPORT in judge.further_measures and SUPPORT not in judge.measures
