from __future__ import annotations

from collections import Counter

import pytest

from ragbench.core.workers import Tools
from ragbench.judge.floor import FLOOR, PlantedClaim, judge_floor, planted_claims
from ragbench.judge.offline import OfflineJudge
from ragbench.records.score import ClaimState, ClaimVerdict, Verdict

CLAIMS = planted_claims()


class Says:
    """A judge that answers by a function of the planted claim's number."""

    def __init__(self, state) -> None:
        self.state = state

    def judge(self, question, context, answer):
        state = self.state(int(question.id.split("-")[1]))
        if state is None:
            return Verdict(question.id, "x", error="no answer")
        return Verdict(question.id, "x", claims=(ClaimVerdict(answer.text, state),))


def word(supported: bool) -> ClaimState:
    return ClaimState.SUPPORTED if supported else ClaimState.NOT_ENOUGH


def test_the_shipped_claims_are_balanced_and_distinct() -> None:
    assert Counter((c.language, c.supported) for c in CLAIMS) == {
        (lang, t): 60 for lang in ("zh", "en") for t in (True, False)
    }
    assert len({(c.context, c.claim) for c in CLAIMS}) == len(CLAIMS)
    assert not [c for c in CLAIMS if not c.supported and c.claim.rstrip("。.") in c.context]


def test_a_perfect_judge_passes_and_a_constant_one_does_not() -> None:
    for result in judge_floor(Says(lambda n: word(CLAIMS[n].supported)), CLAIMS):
        assert result.balanced_accuracy == result.low == 1.0 and result.passes
    for constant in (True, False):
        for result in judge_floor(Says(lambda n, c=constant: word(c)), CLAIMS):
            assert result.balanced_accuracy == 0.5 and result.low == 0.5 and not result.passes


def test_no_verdict_is_wrong_not_missing() -> None:
    for result in judge_floor(Says(lambda n: None), CLAIMS):
        assert result.balanced_accuracy == 0.0 and result.n_errors == result.n


def test_languages_are_apart_and_no_claims_give_nothing() -> None:
    assert judge_floor(Says(lambda n: None), ()) == ()
    claims = (
        PlantedClaim("zh", "k", "年假十天。", "年假十天。", True),
        PlantedClaim("en", "k", "Ten.", "Five.", False),
    )
    en, zh = judge_floor(Says(lambda n: word(n == 0)), claims)
    assert (en.language, zh.language) == ("en", "zh") and en.balanced_accuracy == zh.balanced_accuracy == 1.0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_offline_judge_may_gate(language: str) -> None:
    with OfflineJudge(semantic=False).open(Tools(None)) as judge:
        (result,) = judge_floor(judge, [claim for claim in CLAIMS if claim.language == language])
    assert result.low >= FLOOR, result
    assert result.n_errors == 0
